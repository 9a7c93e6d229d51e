// Shows HTML that the server made, and tells it what was followed, chosen or selected there.
const LONGEST = 4000
const shown = new WeakMap()

function rootOf(parentElement) {
  let root = parentElement.querySelector(":scope > .lectern-sheet")
  if (!root) {
    root = document.createElement("div")
    root.className = "lectern-sheet"
    parentElement.append(root)
  }
  return root
}

// Tabs: one panel at a time, arrow keys move between them.
function choose(tab, focus) {
  const set = tab.closest(".tabs")
  for (const other of set.querySelectorAll(":scope > [role=tablist] > [role=tab]")) {
    const chosen = other === tab
    other.setAttribute("aria-selected", String(chosen))
    other.tabIndex = chosen ? 0 : -1
    set.querySelector(`#${CSS.escape(other.getAttribute("aria-controls"))}`).hidden = !chosen
  }
  if (focus) tab.focus()
}

function onKey(event) {
  const tab = event.target.closest?.("[role=tab]")
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
  if (!tab || !step) return
  const all = [...tab.parentElement.children]
  choose(all[(all.indexOf(tab) + step + all.length) % all.length], true)
  event.preventDefault()
}

// Brings the marked passage, or the section that was asked for, into view.
function arrive(root, target) {
  if (target === null) return
  const there = root.querySelector("#cited") ?? (target && root.querySelector(`#${CSS.escape(target)}`))
  for (let up = there; up && up !== root; up = up.parentElement) {
    if (up.localName === "details") up.open = true
  }
  if (!there) return root.closest("[data-testid=stMain]")?.scrollTo(0, 0)
  const still = matchMedia("(prefers-reduced-motion: reduce)").matches
  there.scrollIntoView({ block: there.id === "cited" ? "center" : "start", behavior: still ? "auto" : "smooth" })
}

function sectionText(heading, title) {
  const level = Number(heading.localName[1])
  let text = title
  for (let next = heading.nextElementSibling; next; next = next.nextElementSibling) {
    if (/^h[1-6]$/.test(next.localName) && Number(next.localName[1]) <= level) break
    text += "\n" + next.innerText
  }
  return text
}

function selected(root) {
  const selection = getSelection()
  if (!selection.rangeCount || selection.isCollapsed) return null
  const range = selection.getRangeAt(0)
  const text = selection.toString().trim()
  return text && root.contains(range.commonAncestorContainer) ? { text, range } : null
}

function button(words, name) {
  const made = document.createElement("button")
  made.type = "button"
  made.className = name
  made.textContent = words
  return made
}

// Whoever selects a passage, with the mouse or the keyboard, is offered to ask about it.
function offer(root, ask) {
  const float = button("Ask about this", "ask-selection")
  float.hidden = true
  root.append(float)
  float.onpointerdown = (event) => event.preventDefault()
  float.onclick = () => ask(selected(root)?.text ?? float.dataset.text)
  const follow = () => {
    const found = selected(root)
    if (document.activeElement === float) return
    float.hidden = !found
    if (!found) return
    float.dataset.text = found.text
    const box = found.range.getBoundingClientRect()
    const home = root.getBoundingClientRect()
    float.style.top = `${box.bottom - home.top + 6}px`
    float.style.left = `${Math.max(0, Math.min(box.left - home.left, home.width - float.offsetWidth))}px`
  }
  for (const heading of root.querySelectorAll(":is(h2, h3)[id]")) {
    const title = heading.textContent
    const words = button("Ask about this section", "ask-section")
    // The button stands in the heading's line but is no part of its name.
    heading.setAttribute("aria-label", title)
    heading.append(words)
    words.onclick = () => ask(sectionText(heading, title))
  }
  document.addEventListener("selectionchange", follow)
  return () => document.removeEventListener("selectionchange", follow)
}

export default function ({ data, parentElement, setTriggerValue }) {
  const root = rootOf(parentElement)
  const state = shown.get(root) ?? { end: () => {} }
  if (["html", "visit", "arrive"].some((name) => state[name] !== data[name])) {
    state.end()
    root.innerHTML = data.html
    const ask = (text) => setTriggerValue("asked", (text ?? "").slice(0, LONGEST))
    const end = data.askable ? offer(root, ask) : () => {}
    shown.set(root, { ...data, end })
    arrive(root, data.arrive)
  }
  root.onkeydown = onKey
  root.onclick = (event) => {
    const tab = event.target.closest("[role=tab]")
    if (tab) return choose(tab, false)
    const done = event.target.closest("button[data-do]")
    if (done) return setTriggerValue("done", done.dataset.do)
    const link = event.target.closest("a[data-go]")
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return
    event.preventDefault()
    setTriggerValue("went", link.getAttribute("href"))
  }
  return () => shown.get(root)?.end()
}
