// Keeps an open page current: asks for it again, and puts in what changed. What the reader did stays: where
// they are, what they unfolded, what has the focus, and what they are selecting.
"use strict";

const INTERVAL_MS = 1000;
const PATIENCE_MS = 5000;

const content = document.getElementById("content");
const live = document.getElementById("live");
let tag = null;
let lostAt = null;

function say(state, text) {
  // Written only when it changes: it is read out by screen readers.
  if (live.textContent !== text) live.textContent = text;
  live.dataset.state = state;
}

async function refresh() {
  try {
    const answer = await fetch("/", {
      headers: tag ? { "If-None-Match": tag } : {},
      cache: "no-store",
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    if (answer.status === 200) {
      const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
      const whole = putIn([...fresh.getElementById("content").children]);
      tag = whole ? answer.headers.get("ETag") : null;
    } else if (answer.status !== 304) {
      throw new Error(`answered with ${answer.status}`);
    }
    lostAt = null;
    say("live", "Live");
  } catch (error) {
    lostAt ??= new Date().toLocaleTimeString();
    say("lost", `Not reachable since ${lostAt}`);
  }
}

// Returns whether all of it is in: a section in which text is being selected waits.
function putIn(sections) {
  let whole = true;
  const current = new Map([...content.children].map((section) => [section.id, section]));
  const placed = sections.map((fresh) => {
    const old = current.get(fresh.id);
    current.delete(fresh.id);
    if (!old) return document.adoptNode(fresh);
    keepUnfolded(old, fresh);
    if (old.isEqualNode(fresh)) return old;
    if (isBeingSelected(old)) {
      whole = false;
      return old;
    }
    const focused = old.contains(document.activeElement) ? pathTo(document.activeElement) : null;
    old.replaceWith(document.adoptNode(fresh));
    if (focused) document.querySelector(focused)?.focus({ preventScroll: true });
    return fresh;
  });
  for (const gone of current.values()) gone.remove();
  placed.forEach((section, index) => {
    if (content.children[index] !== section) content.insertBefore(section, content.children[index] ?? null);
  });
  return whole;
}

function keepUnfolded(old, fresh) {
  for (const details of old.querySelectorAll("details[open]")) {
    fresh.querySelector(`#${CSS.escape(details.id)}`)?.setAttribute("open", "");
  }
}

function isBeingSelected(section) {
  const selection = document.getSelection();
  return selection !== null && !selection.isCollapsed && selection.containsNode(section, true);
}

// Only the summaries of details take the focus.
function pathTo(element) {
  return `#${CSS.escape(element.closest("[id]").id)} > ${element.localName}`;
}

async function watch() {
  // A page that nobody sees asks for nothing.
  if (!document.hidden) await refresh();
  setTimeout(watch, INTERVAL_MS);
}

watch();
document.addEventListener("visibilitychange", () => {
  if (!document.hidden) refresh();
});
