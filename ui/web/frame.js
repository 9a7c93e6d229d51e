// Mounted once a page: remembers who the learner is, tells about a citation before it is opened,
// and copies answers.
const CITATION = /^\[\d{1,3}\]$/
const COOKIE = "lectern_learner"
const LEARNER = /^[A-Za-z0-9_-]{22,64}$/

let tip = null
let told = null
let owner = null

function known() {
  const found = document.cookie.split("; ").find((c) => c.startsWith(COOKIE + "="))
  const learner = found ? found.slice(COOKIE.length + 1) : ""
  return LEARNER.test(learner) ? learner : ""
}

function remember(learner) {
  const secure = location.protocol === "https:" ? "; Secure" : ""
  document.cookie = `${COOKIE}=${learner}; Path=/; Max-Age=31536000; SameSite=Lax${secure}`
}

function cited(event) {
  const link = event.target instanceof Element ? event.target.closest("a[href]") : null
  return link && CITATION.test(link.textContent.trim()) ? link : null
}

function show(event) {
  const link = cited(event)
  if (!link) return
  // The browser's own tooltip comes late, and never for the keyboard.
  if (link.title) {
    link.dataset.told = link.title
    link.removeAttribute("title")
  }
  if (!link.dataset.told) return
  hide()
  tip = document.createElement("div")
  tip.className = "lectern-tip"
  tip.id = "lectern-tip"
  tip.setAttribute("role", "tooltip")
  const [place, ...quote] = link.dataset.told.split(" — ")
  tip.append(Object.assign(document.createElement("strong"), { textContent: place }))
  tip.append(Object.assign(document.createElement("span"), { textContent: quote.join(" — ") }))
  document.querySelector("main").append(tip)
  link.setAttribute("aria-describedby", tip.id)
  told = link
  settle()
}

// Beside its link, also while the page scrolls: focus itself makes it scroll.
function settle() {
  if (!tip) return
  const at = told.getBoundingClientRect()
  const left = Math.min(Math.max(8, at.left - 24), innerWidth - tip.offsetWidth - 8)
  const above = at.top - tip.offsetHeight - 8
  tip.style.left = `${left}px`
  tip.style.top = `${above > 8 ? above : at.bottom + 8}px`
}

function hide() {
  told?.removeAttribute("aria-describedby")
  tip?.remove()
  tip = told = null
}

function onKey(event) {
  if (event.key === "Escape") hide()
}

async function copy(event) {
  const button = event.target instanceof Element ? event.target.closest("button[data-copy]") : null
  if (!button) return
  await write(button.dataset.copy)
  button.textContent = "Copied"
  setTimeout(() => (button.textContent = "Copy"), 2000)
}

// Browsers give the clipboard only to pages on this machine or behind https.
async function write(text) {
  if (navigator.clipboard) return navigator.clipboard.writeText(text)
  const area = document.createElement("textarea")
  area.value = text
  document.body.append(area)
  area.select()
  document.execCommand("copy")
  area.remove()
}

const EVENTS = [
  ["click", copy],
  ["pointerover", show],
  ["focusin", show],
  ["pointerout", hide],
  ["focusout", hide],
  ["keydown", onKey],
  ["scroll", settle],
]

export default function ({ data, parentElement, setStateValue }) {
  if (!parentElement.querySelector(".lectern-none")) {
    parentElement.append(Object.assign(document.createElement("div"), { className: "lectern-none" }))
  }
  const before = known()
  if (!before) remember(data.learner)
  else if (before !== data.learner) setStateValue("learner", before)
  if (!owner) for (const [name, act] of EVENTS) document.addEventListener(name, act, true)
  owner = parentElement
  return () => {
    // A page switch mounts the next one before it ends this one.
    if (owner !== parentElement) return
    owner = null
    hide()
    for (const [name, act] of EVENTS) document.removeEventListener(name, act, true)
  }
}
