// The page: from the state of the store to everything that is shown.
//
// A change of what is on asks the solver; its answers come stage by stage. The trace that is
// walked is a shortest one that violates something, or the user's own.

import { ControllerView } from "./controller_view.js";
import { announce, byId, h } from "./dom.js";
import { added } from "./machine.js";
import { cells } from "./matrix_view.js";
import { Names, ORDER } from "./names.js";
import { More, Panels, tabsOf } from "./panels.js";
import { EnvironmentView } from "./picture_view.js";
import { replayed } from "./replay.js";
import { RunView } from "./run_view.js";
import { traceKey } from "./runtext.js";
import { Solver } from "./solver.js";
import { Store } from "./store.js";
import { Tools } from "./tools.js";
import { showProgress, showVerdicts } from "./verdict_view.js";
import { Walker } from "./walk.js";
/** What is shown of a search that takes longer than this, in milliseconds. */
const PATIENCE = 120;
/** Of the state, what decides which trace is looked at, and where. */
const OF_TRACE = ["design", "run", "path", "at", "view"];

class Page {
  constructor(problem) {
    this.problem = problem;
    this.names = new Names(problem);
    const { names } = this;
    /** All items, that is candidates or fault modes. */
    this.candidates = names.all();
    const known = new Set(this.candidates);
    this.store = new Store((item) => known.has(item), tabsOf(problem), problem.fingerprint);
    this.among = problem.designs.map((_, design) => this.candidates.filter((item) =>
      names.mayBeTolerated(item, design)));
    this.counted = [];
    this.sorted = [];
    this.more = new More(() => this.panels.show());
    this.answers = this.unknown();
    this.solver = new Solver(problem, byId("worker").textContent, (answer) => this.take(answer));
    this.environment = new EnvironmentView(this);
    this.controller = new ControllerView(this);
    this.runView = new RunView(this);
    this.panels = new Panels(this);
    this.tools = new Tools(this);
    this.show = this.show.bind(this);
    this.copy = this.copy.bind(this);
    this.store.listen((state, before) => this.changed(state, before));
    // What is beside the verdict keeps below it, and so does what the keyboard reaches.
    new ResizeObserver(([{ target }]) =>
      document.documentElement.style.setProperty("--bar", `${target.offsetHeight}px`),
    ).observe(byId("verdicts"));
    new IntersectionObserver(([{ isIntersecting }]) =>
      byId("verdicts").classList.toggle("slim", !isIntersecting),
    ).observe(byId("above"));
    byId("close-warning").addEventListener("click", () => this.warn(""));
    this.asked = null;
    this.read(location.hash);
  }

  /** Say something that stays until it is closed; nothing, to close it. */
  warn(text) {
    byId("warning-text").textContent = text;
    byId("warning").hidden = !text;
  }

  /** Take the question from a link. What of it means nothing here the page says. */
  read(link, isStep = false) {
    this.linked = true;
    this.store.read(link, isStep);
  }

  /** What is wrong with the link that was taken last. */
  warnOfLink() {
    const { problem, lost, fingerprint } = this.store;
    const told = {
      damaged: "This link is incomplete or was changed, so the view may differ from the original.",
      other: `This link belongs to other models or another version of them; these have the fingerprint ${fingerprint}. Nothing is switched on.`,
    }[problem];
    const left = lost.length ? `Ignored, since unknown to this page: ${lost.join(", ")}.` : "";
    this.warn([told, left].filter(Boolean).join(" "));
  }

  unknown() {
    return this.problem.designs.map((_, design) => ({
      design, verdict: "asking", properties: [], assumptions: [], among: this.among[design].length > 0,
    }));
  }

  toleratedAlone(design) {
    return this.candidates.filter((item) => this.names.alone(item, design) === "tolerated");
  }

  /** All candidates, those with the worst verdict first. */
  ranked(design) {
    const rank = (item) => ORDER.indexOf(this.names.alone(item, design));
    return (this.sorted[design] ??= [...this.candidates].sort((x, y) => rank(x) - rank(y)));
  }

  cells(design) {
    return (this.counted[design] ??= cells(this, design));
  }

  changed(state, before) {
    if (state.design >= this.problem.designs.length) {
      this.store.lost.push(`design=${state.design}`);
      state.design = 0;
    }
    const question = state.on.join();
    const isNew = question !== this.asked;
    if (this.linked) this.warnOfLink();
    else if (isNew) this.warn("");
    this.unsettled ||= this.linked;
    this.linked = false;
    if (isNew) this.ask(question, state.on);
    else if (OF_TRACE.every((name) => state[name] === before[name])) {
      this.panels.show();
      this.drawStates();
    } else {
      this.settle();
      this.rewalk();
      this.draw();
    }
    this.tools.show();
  }

  ask(question, on) {
    this.runView.stop();
    this.asked = question;
    this.ids = added(this.problem, on);
    this.waiting = this.unknown();
    this.since = performance.now();
    // Nothing is drawn before the verdict, if that comes at once: it would flicker, and
    // hold up the answer.
    byId("verdicts").setAttribute("aria-busy", "true");
    clearTimeout(this.patience);
    this.patience = setTimeout(() => {
      this.answers = this.waiting;
      this.rewalk();
      this.draw();
      this.progress();
    }, PATIENCE);
    this.solver.ask(this.problem.designs.length, on, this.among);
    if (!this.walk) {
      this.rewalk();
      this.draw();
    }
  }

  /** While a search goes on, say for how long. */
  progress() {
    clearInterval(this.ticking);
    this.ticking = setInterval(() => {
      if (!this.isSearching()) clearInterval(this.ticking);
      else showProgress(byId("verdicts"), this);
    }, 500);
    showProgress(byId("verdicts"), this);
  }

  isSearching() {
    return this.waiting.some((answer) => answer.verdict === "asking" || !answer.done);
  }

  /** End all searches; what is not known yet stays unknown. */
  stop() {
    this.solver.stop();
    clearTimeout(this.patience);
    for (const answer of this.waiting) {
      if (answer.verdict === "asking") answer.verdict = "undecided";
      answer.stopped = !answer.done;
      answer.done = true;
    }
    this.answered();
  }

  answered() {
    clearTimeout(this.patience);
    this.answers = this.waiting;
    this.settle();
    this.rewalk();
    this.draw();
    byId("verdicts").setAttribute("aria-busy", "false");
    if (this.isSearching()) this.progress();
    this.playing?.();
    this.playing = null;
  }

  /** Take what the solver says of a design. */
  take({ design, stage, ...data }) {
    const answer = this.waiting[design];
    if (stage === "searched") {
      answer.searched = data.states;
      return;
    }
    if (stage === "verdict") {
      Object.assign(answer, data, { verdict: data.verdict ?? "undecided" });
      if (this.waiting.every((each) => each.verdict !== "asking")) this.answered();
      return;
    }
    if (stage === "done") answer.done = true;
    else if (stage === "lost") answer.lost = data.lost;
    else if (stage === "part") answer.part = data.part;
    else answer.addable = data;
    if (this.answers !== this.waiting) return;
    if (stage === "lost") {
      this.answered();
      return;
    }
    showVerdicts(byId("verdicts"), this);
    if (stage === "addable" && this.store.state.tab === "candidates") this.panels.show();
  }

  /** The traces that were found of a design, each with its key. */
  runs(design) {
    const answer = this.answers[design];
    return answer === this.waiting[design] ? [
      ...answer.properties.map((each) => [`p${each.index}`, each]),
      ...answer.assumptions.map((each) => [`a${each.index}`, each]),
      ...(answer.lost ?? []).map((each) => [`g${each.goal}`, each]),
    ] : [];
  }

  /** Of a link: what names a trace or a step that there is not is left out, and said. */
  settle() {
    if (!this.unsettled || this.answers.some((answer) => answer.verdict === "asking")) return;
    const { store, problem } = this;
    const { design, run, path, at } = store.state;
    if (run[0] === "g" && this.answers[design].lost === undefined && !this.answers[design].done) return;
    this.unsettled = false;
    const lost = [];
    const left = {};
    if (run && !this.runs(design).some(([key]) => key === run)) {
      lost.push(`run=${run}`);
      left.run = "";
    }
    const walker = new Walker(problem, problem.designs[design], this.ids);
    const walked = path && walker.path(walker.along(path));
    if (path && walked.join() !== path.join()) {
      const [kept, all] = [walked, path].map((each) => each.length - (walker.starts.length > 1));
      lost.push(kept < all ? `${all - kept} of ${all} steps` : "the start of the walk");
      left.path = walked;
    }
    Object.assign(store.state, left);
    this.rewalk();
    if (at > this.walk.steps.length) {
      lost.push(`at=${at}`);
      store.state.at = -1;
    }
    if (!lost.length) return;
    store.lost.push(...lost);
    store.write();
    this.warnOfLink();
  }

  /** The trace that is looked at: the chosen one, else a shortest, else the start. */
  rewalk() {
    const { design, run, path } = this.store.state;
    const models = this.problem.designs[design];
    const both = new Walker(this.problem, models, this.ids);
    this.replay = null;
    if (path) {
      this.walker = both;
      this.walk = { ...both.along(path), title: "chosen by you" };
      this.replay = this.onTheOther();
      return;
    }
    const runs = this.runs(design);
    const shortest = runs.filter(([key]) => key[0] === runs[0][0][0])
      .reduce((x, y) => (x && x[1].steps.length <= y[1].steps.length ? x : y), null);
    const [key, found] = runs.find(([each]) => each === run) ?? shortest ?? ["", null];
    if (!found) {
      this.walker = both;
      this.walk = { start: both.start(), steps: [], title: "nothing is violated; choose any next step" };
      return;
    }
    if (key[0] === "g") {
      this.walker = both;
      const lost = this.answers[design].lost.filter(({ steps }) => traceKey(steps) === traceKey(found.steps))
        .map(({ goal }) => this.names.goal(goal, design));
      const where = `${this.names.listed(lost, 1)} ${lost.length > 1 ? "are" : "is"} impossible`;
      this.walk = { ...both.follow(found), lost, title: `a shortest one to a state from which ${where}` };
      this.replay = this.onTheOther();
      return;
    }
    const alone = key[0] === "a";
    this.walker = alone ? new Walker(this.problem, models, this.ids, true) : both;
    const a = found.shortest ? "a shortest one" : "one";
    const what = (alone ? models.constraints : models.properties)[found.index].said;
    this.walk = { ...this.walker.follow(found), title: alone
      ? `of the environment alone, ${a} that violates the assumption \u201c${what}\u201d`
      : `${a} that violates \u201c${found.own ? "the controller\u2019s own ERROR" : what}\u201d` };
    if (!alone) this.replay = this.onTheOther();
  }

  /** How far the other of two designs follows the trace; null where there is nothing to follow. */
  onTheOther() {
    const { designs } = this.problem;
    if (designs.length < 2 || !this.walk.steps.length) return null;
    const design = 1 - this.store.state.design;
    const walker = new Walker(this.problem, designs[design], this.ids);
    return { design, answer: replayed(walker, this.walk, this.walker) };
  }

  /** Where in the trace we are; at first, at the first step that was added. */
  position() {
    const { at, path } = this.store.state;
    const { steps } = this.walk;
    if (at >= 0 && at <= steps.length) return at;
    return path ? steps.length : 1 + steps.findIndex((step) => step.id >= 0) || steps.length;
  }

  goTo(at) {
    this.store.change({ at: Math.max(0, Math.min(this.walk.steps.length, at)) });
  }

  /** Look at a trace of a design. */
  show(design, run) {
    this.store.change({ design, run, path: null, at: -1 });
  }

  /** Switch on the worst that is known of a design, and play its trace. */
  replayWorst(design, items) {
    this.store.change({ design, on: [...items], run: "", path: null, at: -1 });
    this.playing = () => this.walk.steps.length && this.runView.play(0);
    this.tools.toTrace();
  }

  /** Look at a walk of a design that a replay has found. */
  showOn(design, walk) {
    const walker = new Walker(this.problem, this.problem.designs[design], this.ids);
    const { start, steps } = walker.follow(walk);
    this.store.change({ design, run: "", path: walker.path({ start, steps }), at: steps.length });
  }

  /** Walk from one of the states to begin in. */
  begin(start = 0) {
    this.store.change({ path: this.walker.starts.length > 1 ? [start] : [], run: "", at: 0 });
  }

  /** Go on from a step with one of the options there. */
  choose(at, option) {
    if (this.walker.alone) return this.begin();
    const path = this.walker.path({ start: this.walk.start, steps: this.walk.steps.slice(0, at) });
    return this.store.change({ path: [...path, option], run: "", at: at + 1 });
  }

  draw() {
    showVerdicts(byId("verdicts"), this);
    this.panels.show();
    this.runView.show();
    this.drawStates();
  }

  drawStates() {
    const at = this.position();
    const { walk, walker } = this;
    const step = at ? walk.steps[at - 1] : null;
    const before = at > 1 ? walk.steps[at - 2].states : walk.start;
    const states = step ? step.states : walk.start;
    this.environment.show(states[0], step, before);
    this.controller.show(states, step ? before : null, walker.alone);
  }

  /** The command that asks the same of `symrob explain`, in the folder of the case. */
  copyCommand() {
    const { on, design } = this.store.state;
    const { asked } = this.problem.designs[design];
    const items = on.flatMap((item) => this.names.argument(item));
    const quoted = (word) => /^[\w./=:@%+-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
    const words = on.length ? ["explain", ...asked, ...items] : ["check", ...asked];
    return this.copy(`symrob ${words.map(quoted).join(" ")}`, "The command");
  }

  copy(text, what) {
    const fallback = () => {
      const area = h("textarea", { class: "away", "aria-hidden": "true" });
      area.value = text;
      document.body.append(area);
      area.select();
      const done = document.execCommand("copy");
      area.remove();
      announce(done ? `${what} is copied` : `${what} could not be copied`);
    };
    if (!navigator.clipboard) return fallback();
    return navigator.clipboard.writeText(text).then(() => announce(`${what} is copied`), fallback);
  }

  download(name, type, text) {
    const address = URL.createObjectURL(new Blob([text], { type }));
    const link = h("a", { href: address, download: name });
    document.body.append(link);
    link.click();
    link.remove();
    setTimeout(() => URL.revokeObjectURL(address), 10_000);
    announce(`${name} is saved`);
  }
}

new Page(JSON.parse(byId("data").textContent));
