// Clicks on ten sets, one after the other: how many milliseconds each verdict takes.
async () => {
  const rows = [...document.querySelectorAll("#panel .set")].slice(0, 10);
  const keys = rows.map((row) => row.dataset.key);
  const times = [];
  for (const key of keys) {
    const before = performance.now();
    document.querySelector(`#panel [data-key="${key}"]`).click();
    await new Promise((done) => {
      const look = () =>
        document.querySelector(".verdict").dataset.verdict === "tolerated" ||
        document.querySelector("#verdicts").ariaBusy === "true"
          ? requestAnimationFrame(look) : done();
      look();
    });
    times.push(performance.now() - before);
    document.querySelector(".chips [data-key=Clear]").click();
    await new Promise((done) => setTimeout(done, 150));
  }
  return times;
}
