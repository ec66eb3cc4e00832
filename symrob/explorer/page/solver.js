// The page's end of the line to the worker; without a worker it works in turns itself.

import { serve } from "./worker.js";

export class Solver {
  /** onAnswer takes each answer to a question that is still the latest. */
  constructor(problem, source, onAnswer) {
    this.question = 0;
    const take = (answer) => {
      if (answer.question === this.question) onAnswer(answer);
    };
    const { designs, steps, environment, actions, at_most, bounds } = problem;
    // Pictures stay here, and so do most answers.
    const models = {
      environment, actions, steps, at_most, bounds,
      designs: designs.map(({ answers, ...models }) => ({ ...models, sets: answers.sets, progress: answers.progress })),
    };
    try {
      const address = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
      const worker = new Worker(address);
      worker.onmessage = (event) => take(event.data);
      this.send = (message) => worker.postMessage(message);
    } catch {
      const receive = serve(take, (go) => setTimeout(go, 0));
      this.send = (message) => setTimeout(() => receive(message), 0);
    }
    this.send({ type: "open", problem: models });
  }

  /** Give up the present question. */
  stop() {
    this.question++;
    this.send({ type: "stop" });
  }

  /** Ask all designs about some items; earlier questions are given up. */
  ask(designs, items, among) {
    this.question++;
    for (let design = 0; design < designs; design++) {
      this.send({
        type: "judge", question: this.question, design, items, among: among[design],
      });
    }
  }
}
