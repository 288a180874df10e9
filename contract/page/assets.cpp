#include "contract/page/assets.h"

namespace hkc::page {

const std::string_view kStyle = R"css(
:root { color-scheme: light dark; --ink: #1b1f24; --dim: #59636e; --line: #d1d9e0; --back: #fff; --soft: #f3f5f7;
  --pass: #1a7f37; --fail: #c4162a; --known: #8a5a00; --unchecked: #6639ba; --bar: #4a7fb5; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6edf3; --dim: #9aa5b1; --line: #3a424b; --back: #0f1419;
  --soft: #1a2027; --pass: #56d364; --fail: #ff7b72; --known: #e3b341; --unchecked: #bc9cff; --bar: #5b93cc; } }
body { font: 14px/1.45 system-ui, sans-serif; color: var(--ink); background: var(--back); margin: 0 auto;
  max-width: 1400px; padding: 1rem; }
h1 { font-size: 1.4rem; margin: 0 0 .3rem; } h2 { font-size: 1.1rem; margin: 1.8rem 0 .4rem; }
table { border-collapse: collapse; } th, td { border: 1px solid var(--line); padding: .2rem .5rem; text-align: left;
  vertical-align: top; } thead th { background: var(--soft); position: sticky; top: 3.2rem; }
th[scope=row] { font-weight: 500; } code, pre { font: 12px/1.4 ui-monospace, monospace; }
pre { background: var(--soft); padding: .4rem .6rem; overflow-x: auto; margin: .3rem 0; }
pre mark { background: none; color: var(--fail); font-weight: 700; }
nav { position: sticky; top: 0; background: var(--back); padding: .6rem 0; border-bottom: 1px solid var(--line);
  display: flex; gap: .8rem; flex-wrap: wrap; align-items: center; z-index: 1; }
nav input, nav select { font: inherit; padding: .15rem .3rem; }
.dim { color: var(--dim); } .pass { color: var(--pass); } .fail, .missed { color: var(--fail); font-weight: 700; }
.known { color: var(--known); } .unchecked { color: var(--unchecked); font-weight: 600; }
.bar { display: inline-block; width: 90px; height: .7em; background: var(--soft); border: 1px solid var(--line); }
.bar i { display: block; height: 100%; background: var(--bar); } .num { text-align: right; white-space: nowrap; }
.more { color: var(--fail); } .less { color: var(--pass); } [hidden] { display: none; }
)css";

const std::string_view kScript = R"js(
"use strict";
(() => {
  const text = document.getElementById("text"), chip = document.getElementById("chip");
  const status = document.getElementById("status"), shown = document.getElementById("shown");
  const rows = [...document.querySelectorAll("[data-text]")];
  const cells = [...document.querySelectorAll("[data-column]")];
  const has = (row, name, wanted) => wanted === "" || row.dataset[name].split(" ").includes(wanted);
  const filter = () => {
    const words = text.value.toLowerCase().split(/\s+/).filter(Boolean);
    let count = 0;
    for (const row of rows) {
      const seen = words.every((word) => row.dataset.text.includes(word)) && has(row, "chips", chip.value) &&
        has(row, "states", status.value);
      row.hidden = !seen;
      if (seen) count += 1;
    }
    for (const cell of cells) cell.hidden = chip.value !== "" && cell.dataset.column !== chip.value;
    shown.textContent = count + " of " + rows.length + " rows";
  };
  for (const control of [text, chip, status]) control.addEventListener("input", filter);
  filter();
})();
)js";

} // namespace hkc::page
