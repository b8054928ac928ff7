// Written by `vade install opencode` (vademecum); `vade uninstall opencode` removes it.
// Passes what happens in a session to the hook client, and what memory answers to the agent. Whatever goes wrong, OpenCode goes on.
import { spawn } from "node:child_process"

const CLIENT = [/* the hook client of this machine */]
const DEADLINE_MS = 5000
// At a tool call, which waits for it. The client takes some 40 ms; on a busy machine more.
const CALL_DEADLINE_MS = 2000
// Tools of OpenCode that only read, plan or ask: no call of theirs is worth a process.
const READING = ["read", "list", "ls", "glob", "grep", "lsp", "codesearch", "task", "question", "invalid", "todoread", "todowrite", "plan_enter", "plan_exit"]

function call(event, deadline = DEADLINE_MS) {
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
    }, deadline)
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
  // Sessions that an agent opened for its sub-agent: their prompts are no person's.
  const children = new Set()

  // Session -> the call that is on its way. OpenCode tells of events without waiting for us, so the first prompt can come while the
  // start is being answered; asked at once, both would bring the briefing.
  const pending = new Map()

  const ask = async (name, session, more) => {
    const answer = await call({ hook_event_name: name, session_id: session, cwd: directory, ...more })
    if (answer.context) told.set(session, [...(told.get(session) ?? []), answer.context])
    if (answer.notice) client?.tui?.showToast?.({ body: { message: answer.notice, variant: "info" } })?.catch?.(() => {})
  }

  const tell = (name, session, more = {}) => {
    const turn = (pending.get(session) ?? Promise.resolve()).then(() => ask(name, session, more))
    pending.set(session, turn)
    return turn
  }

  const start = async (session, name = "session.created", source = "startup") => {
    if (started.has(session) && name === "session.created") return pending.get(session)
    started.add(session)
    await tell(name, session, { source })
  }

  // What the rules say of a tool call, of a sub-agent's too; {} whatever goes wrong, so that the call runs.
  const rules = async (name, input, args) => {
    if (READING.includes(input.tool) || input.tool?.startsWith("vademecum_")) return {}
    const event = { hook_event_name: name, session_id: input.sessionID, cwd: directory, tool: input.tool, args }
    try {
      return (await call(event, CALL_DEADLINE_MS)) ?? {}
    } catch {
      return {}
    }
  }

  return {
    "tool.execute.before": async (input, output) => {
      const { refuse } = await rules("tool.execute.before", input, output?.args)
      if (typeof refuse === "string") throw new Error(refuse)
    },
    "tool.execute.after": async (input, output) => {
      const { note } = await rules("tool.execute.after", input, input.args)
      if (typeof note !== "string" || !output) return
      if (typeof output.output === "string") output.output += `\n\n${note}`
      else if (Array.isArray(output.content)) output.content.push({ type: "text", text: note })
    },
    event: async ({ event }) => {
      const session = event.properties?.sessionID ?? event.properties?.info?.id
      if (!session) return
      if (event.type === "session.created" && event.properties.info?.parentID) children.add(session)
      if (children.has(session)) return
      if (event.type === "session.created") await start(session)
      if (event.type === "session.idle") await tell("session.idle", session)
      if (event.type === "session.compacted") {
        told.delete(session)
        await start(session, "session.compacted", "compact")
      }
      if (event.type === "session.deleted") {
        await tell("session.deleted", session)
        for (const known of [told, started, pending]) known.delete(session)
      }
    },
    "chat.message": async (input, output) => {
      const session = input.sessionID
      const prompt = output.parts
        .filter((part) => part.type === "text" && !part.synthetic)
        .map((part) => part.text)
        .join("\n")
      if (!session || !prompt || children.has(session)) return
      // Not seen before: OpenCode was started anew and goes on with it. What was told earlier went with the process that held it.
      await start(session, "session.created", "restart")
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
