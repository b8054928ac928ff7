// Written by `vade install opencode` (vademecum); `vade uninstall opencode` removes it.
// Passes what happens in a session to the hook client, and what memory answers to the agent. Whatever goes wrong, OpenCode goes on.
import { spawn } from "node:child_process"

const CLIENT = [/* the hook client of this machine */]
const DEADLINE_MS = 5000

function ask(event) {
  return new Promise((resolve) => {
    let said = ""
    const done = (answer) => {
      clearTimeout(timer)
      resolve(answer)
    }
    const child = spawn(CLIENT[0], CLIENT.slice(1), { stdio: ["pipe", "pipe", "ignore"], windowsHide: true })
    const timer = setTimeout(() => {
      child.kill()
      done({})
    }, DEADLINE_MS)
    child.on("error", () => done({}))
    child.stdin.on("error", () => {})
    child.stdout.on("data", (piece) => (said += piece))
    child.on("close", () => {
      try {
        done(said ? JSON.parse(said) : {})
      } catch {
        done({})
      }
    })
    child.stdin.end(JSON.stringify(event))
  })
}

export const Vademecum = async ({ client, directory }) => {
  // Session -> what memory has told it. The system prompt is made anew for each request, so everything told is given each time,
  // in the order in which it was told: a text that only grows at its end keeps the provider's cache.
  const told = new Map()
  const started = new Set()

  const tell = async (name, session, more = {}) => {
    const event = { hook_event_name: name, session_id: session, cwd: directory, ...more }
    const answer = await ask(event)
    if (answer.context) told.set(session, [...(told.get(session) ?? []), answer.context])
    if (answer.notice) client?.tui?.showToast?.({ body: { message: answer.notice, variant: "info" } })?.catch?.(() => {})
  }

  const start = async (session, name = "session.created", source = "startup") => {
    if (started.has(session) && name === "session.created") return
    started.add(session)
    await tell(name, session, { source })
  }

  return {
    event: async ({ event }) => {
      const session = event.properties?.sessionID ?? event.properties?.info?.id
      if (!session) return
      if (event.type === "session.created" && !event.properties.info?.parentID) await start(session)
      if (event.type === "session.idle") await tell("session.idle", session)
      if (event.type === "session.compacted") {
        told.delete(session)
        await start(session, "session.compacted", "compact")
      }
      if (event.type === "session.deleted") {
        await tell("session.deleted", session)
        told.delete(session)
        started.delete(session)
      }
    },
    "chat.message": async (input, output) => {
      const session = input.sessionID
      const prompt = output.parts
        .filter((part) => part.type === "text" && !part.synthetic)
        .map((part) => part.text)
        .join("\n")
      if (!session || !prompt) return
      await start(session, "session.created", "resume")
      await tell("chat.message", session, { prompt })
    },
    "experimental.session.compacting": async (input) => {
      await tell("session.compacting", input.sessionID, { trigger: "auto" })
    },
    "experimental.chat.system.transform": async (input, output) => {
      output.system.push(...(told.get(input.sessionID) ?? []))
    },
  }
}
