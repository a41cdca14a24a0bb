(function () {
  "use strict";
  var table = document.getElementById("ruletable");
  var opened = [];
  addEventListener("beforeprint", function () {
    opened = Array.from(document.querySelectorAll("details:not([open])"));
    opened.forEach(function (part) { part.open = true; });
  });
  addEventListener("afterprint", function () {
    opened.forEach(function (part) { part.open = false; });
  });
  if (!table) { return; }
  var rules = Array.from(table.tBodies);
  var filter = document.getElementById("filter");
  var shown = document.getElementById("shown");
  document.querySelector(".controls").hidden = false;
  function narrow() {
    var words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
    var left = 0;
    rules.forEach(function (rule) {
      var text = rule.textContent.toLowerCase();
      var off = !words.every(function (word) { return text.includes(word); });
      rule.classList.toggle("off", off);
      left += off ? 0 : 1;
    });
    shown.textContent = words.length ? left + " of " + rules.length + " rules" : "";
  }
  filter.addEventListener("input", narrow);
  addEventListener("keydown", function (event) {
    if (event.key === "/" && event.target !== filter && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      filter.focus();
    } else if (event.key === "Escape" && event.target === filter) {
      filter.value = "";
      narrow();
    }
  });
  function value(rule, column) {
    var cell = rule.rows[0].cells[column];
    var text = cell.dataset.v || cell.textContent.trim();
    var number = Number(text.replace(/,/g, ""));
    return Number.isNaN(number) ? text : number;
  }
  Array.from(table.tHead.rows[0].cells).forEach(function (head, column) {
    if (head.textContent === "Trend") { return; }
    var button = document.createElement("button");
    button.type = "button";
    button.textContent = head.textContent;
    head.replaceChildren(button);
    button.addEventListener("click", function () {
      var up = head.getAttribute("aria-sort") === (head.classList.contains("n") ? "descending" : "ascending");
      var descending = head.classList.contains("n") ? !up : up;
      Array.from(table.tHead.rows[0].cells).forEach(function (other) { other.removeAttribute("aria-sort"); });
      head.setAttribute("aria-sort", descending ? "descending" : "ascending");
      rules.slice().sort(function (a, b) {
        var one = value(a, column), two = value(b, column);
        var order = one < two ? -1 : one > two ? 1 : 0;
        return descending ? -order : order;
      }).forEach(function (rule) { table.append(rule); });
    });
  });
})();
