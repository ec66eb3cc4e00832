// The page: from the state of the store to everything that is shown.
//
// A change of what is on asks the solver; its answers come stage by stage. The run that is
// walked is a shortest one that breaks something, or the user's own.

import { ControllerView } from "./controller_view.js";
import { announce, byId, h } from "./dom.js";
import { added } from "./machine.js";
import { cells } from "./matrix_view.js";
import { Names } from "./names.js";
import { More, Panels, tabsOf } from "./panels.js";
import { EnvironmentView } from "./picture_view.js";
import { RunView } from "./run_view.js";
import { Solver } from "./solver.js";
import { Store } from "./store.js";
import { Tools } from "./tools.js";
import { showVerdicts } from "./verdict_view.js";
import { Walker } from "./walk.js";

/** What is shown of a search that takes longer than this, in milliseconds. */
const PATIENCE = 120;

class Page {
  constructor(problem) {
    this.problem = problem;
    this.names = new Names(problem);
    const { names } = this;
    /** All items, that is candidates or fault modes. */
    this.candidates = names.all();
    const known = new Set(this.candidates);
    this.store = new Store((item) => known.has(item), tabsOf(problem));
    this.among = problem.designs.map((_, design) => this.candidates.filter((item) =>
      names.mayBeTolerated(item, design)));
    this.counted = [];
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
    window.addEventListener("hashchange", () => {
      if (location.hash.replace(/^#/, "") !== this.store.link()) this.read();
    });
    // What is beside the verdict keeps below it.
    new ResizeObserver(([{ target }]) =>
      document.documentElement.style.setProperty("--bar", `${target.offsetHeight}px`),
    ).observe(byId("verdicts"));
    this.asked = null;
    this.read();
  }

  /** Take the question from the address; what of it means nothing here is said. */
  read() {
    this.store.read(location.hash);
    const { lost } = this.store;
    if (lost.length) announce(`The link is of another page, or damaged. Left out: ${lost.join(", ")}`, 8000);
  }

  unknown() {
    return this.problem.designs.map((_, design) => ({
      design, verdict: "asking", properties: [], assumptions: [], among: this.among[design].length > 0,
    }));
  }

  toleratedAlone(design) {
    return this.candidates.filter((item) => this.names.alone(item, design) === "tolerated");
  }

  cells(design) {
    return (this.counted[design] ??= cells(this, design));
  }

  changed(state, before) {
    if (state.design >= this.problem.designs.length) return this.store.change({ design: 0 });
    const question = state.on.join();
    if (question !== this.asked) {
      this.runView.stop();
      this.asked = question;
      this.ids = added(this.problem, state.on);
      this.waiting = this.unknown();
      // Nothing is drawn before the verdict, if that comes at once: it would flicker, and
      // hold up the answer.
      byId("verdicts").setAttribute("aria-busy", "true");
      clearTimeout(this.patience);
      this.patience = setTimeout(() => {
        this.answers = this.waiting;
        this.rewalk();
        this.draw();
      }, PATIENCE);
      this.solver.ask(this.problem.designs.length, state.on, this.among);
      if (!this.walk) {
        this.rewalk();
        this.draw();
      }
    } else if (state.tab !== before.tab || state.text !== before.text || state.only !== before.only ||
      state.source !== before.source || state.target !== before.target) {
      this.panels.show();
      this.drawStates();
    } else {
      this.rewalk();
      this.draw();
    }
    this.tools.show();
    return undefined;
  }

  /** Take what the solver says of a design. */
  take({ design, stage, ...data }) {
    const answer = this.waiting[design];
    if (stage === "verdict") {
      Object.assign(answer, data, { verdict: data.verdict ?? "undecided" });
      if (this.waiting.every((each) => each.verdict !== "asking")) {
        clearTimeout(this.patience);
        this.answers = this.waiting;
        this.rewalk();
        this.draw();
        byId("verdicts").setAttribute("aria-busy", "false");
      }
      return;
    }
    if (stage === "part") answer.part = data.part;
    else answer.addable = data;
    this.answers[design] = answer;
    showVerdicts(byId("verdicts"), this);
    if (stage === "addable" && this.store.state.tab === "candidates") this.panels.show();
  }

  /** The run that is looked at: the chosen one, else a shortest, else the start. */
  rewalk() {
    const { design, run, path } = this.store.state;
    const models = this.problem.designs[design];
    const answer = this.answers[design];
    const both = new Walker(this.problem, models, this.ids);
    if (path) {
      this.walker = both;
      this.walk = { ...both.along(path), title: "your own" };
      return;
    }
    const runs = answer === this.waiting[design] ? [
      ...answer.properties.map((each) => [`p${each.index}`, each]),
      ...answer.assumptions.map((each) => [`a${each.index}`, each]),
    ] : [];
    const shortest = runs.filter(([key]) => key[0] === runs[0][0][0])
      .reduce((x, y) => (x && x[1].steps.length <= y[1].steps.length ? x : y), null);
    const [key, found] = runs.find(([each]) => each === run) ?? shortest ?? ["", null];
    if (!found) {
      this.walker = both;
      this.walk = { start: both.start(), steps: [], title: "nothing breaks: walk as you like" };
      return;
    }
    const alone = key[0] === "a";
    this.walker = alone ? new Walker(this.problem, models, this.ids, true) : both;
    const what = (alone ? models.constraints : models.properties)[found.index].said;
    this.walk = { ...this.walker.follow(found), title: alone
      ? `a shortest one that breaks the assumption \u201c${what}\u201d` : `a shortest one that breaks \u201c${found.own ? "the controller\u2019s own ERROR" : what}\u201d` };
  }

  position() {
    const { at } = this.store.state;
    const total = this.walk.steps.length;
    return at < 0 || at > total ? total : at;
  }

  goTo(at) {
    this.store.change({ at: Math.max(0, Math.min(this.walk.steps.length, at)) });
  }

  /** Look at a run of a design. */
  show(design, run) {
    this.store.change({ design, run, path: null, at: -1 });
  }

  walkFrom(path) {
    this.store.change({ path, run: "", at: path.length });
  }

  /** Go on from a step with one of the options there. */
  choose(at, option) {
    const steps = this.walker.alone ? [] : this.walk.steps.slice(0, at);
    this.walkFrom([...this.walker.path(steps), option]);
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
    this.controller.show(states, step ? before : null, walker.alone, step);
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
