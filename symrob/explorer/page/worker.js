// What runs beside the page: it judges, and gives way to the next question.
//
// In:  {type: "open", problem, most}, then {type: "judge", question, design, items,
//      among} or {type: "stop"}; a new question to a design ends the one before.
// Out: {question, design, stage, …}, stage by stage: "verdict", perhaps "lost", "part",
//      "addable", "done";
//      in between "searched", with the number of states that were looked at.

import { Judge } from "./judge.js";

/** Milliseconds of work before messages are looked at. */
const WORK_A_TURN = 12;
/** Milliseconds for a minimal part. */
const FOR_A_PART = 10_000;
/** Milliseconds that a verdict waits for the goals that are lost. */
const FOR_GOALS = 40;
/** Milliseconds between two reports. */
const REPORT = 150;

/** Serve questions; `send` takes an answer, `pause` gives way and calls back. */
export function serve(send, pause) {
  let judges = [];
  let latest = [];

  function drive(task, isCurrent, judge, say) {
    const until = Date.now() + WORK_A_TURN;
    while (isCurrent()) {
      if (task.next().done) return say("done");
      if (Date.now() > until) {
        if (Date.now() > judge.reported + REPORT) {
          judge.reported = Date.now();
          say("searched", { states: judge.effort.states });
        }
        return pause(() => drive(task, isCurrent, judge, say));
      }
    }
    return undefined;
  }

  function* answer(judge, { items, among }, say) {
    const { searches, ...verdict } = yield* judge.verdict(items);
    // What is known at once is told at once: one picture, not two.
    const looking = judge.lost(items);
    const until = Date.now() + FOR_GOALS;
    let lost;
    while (lost === undefined && Date.now() < until) {
      const { done, value } = looking.next();
      if (done) lost = value;
      else yield;
    }
    say("verdict", { ...verdict, lost });
    if (lost === undefined) say("lost", { lost: yield* looking });
    if (verdict.verdict !== "tolerated") {
      if (verdict.safe === false || verdict.kept === false) {
        say("part", { part: yield* judge.part(items, verdict, FOR_A_PART) });
      }
      return;
    }
    const report = { safe: [], unsafe: [], idle: [], bound: [] };
    const total = among.length - among.filter((item) => items.includes(item)).length;
    let tried = 0;
    let last = Date.now();
    const told = () => say("addable", { ...report, tried, total });
    yield* judge.addable(items, searches, among, (item, how) => {
      report[how].push(item);
      tried++;
      if (Date.now() - last > REPORT) {
        told();
        last = Date.now();
      }
    });
    told();
  }

  return (message) => {
    if (message.type === "open") {
      judges = message.problem.designs.map(
        (design) => new Judge(message.problem, design, message.most),
      );
      latest = judges.map(() => 0);
      return;
    }
    if (message.type === "stop") {
      latest = judges.map(() => -1);
      return;
    }
    const { question, design } = message;
    latest[design] = question;
    const say = (stage, data) => send({ question, design, stage, ...data });
    const judge = judges[design];
    judge.effort.states = 0;
    judge.reported = Date.now();
    drive(answer(judge, message, say), () => latest[design] === question, judge, say);
  };
}
