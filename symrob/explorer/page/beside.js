// The worker's own end of the line.

import { serve } from "./worker.js";

// A channel of its own gives way to messages without the least wait that timers have.
const channel = new MessageChannel();
let waiting = [];
channel.port1.onmessage = () => {
  const next = waiting;
  waiting = [];
  next.forEach((go) => go());
};
const receive = serve(
  (answer) => self.postMessage(answer),
  (go) => {
    waiting.push(go);
    channel.port2.postMessage(0);
  },
);
self.onmessage = (event) => receive(event.data);
