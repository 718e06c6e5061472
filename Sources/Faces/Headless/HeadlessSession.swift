import Concurrency
import DequeModule
import Foundation
import GroupActivities
import MatineeKit
import Screening
import Timekeeping

/// The interface for scripts, bots and screen readers: one line per event and per command.
package struct HeadlessSession: Sendable {
  package enum Style: Hashable, Sendable {
    /// One JSON object per line, for programs.
    case json
    /// One sentence per line, for people.
    case plain
  }

  /// The number of events that wait while the reader of the output is slow. Beyond it the oldest are dropped, and
  /// `missed` reports how many.
  package static let eventLimit = 4096

  let program: Program
  /// The program's events, at most ``eventLimit`` of them.
  let events: AsyncStream<ScreeningEvent>
  let plan: Plan
  let style: Style
  let version: String
  /// The signals to end.
  let terminations: AsyncStream<Int32>

  package init(
    program: Program, events: AsyncStream<ScreeningEvent>, plan: Plan, style: Style,
    version: String, terminations: AsyncStream<Int32>
  ) {
    self.program = program
    self.events = events
    self.plan = plan
    self.style = style
    self.version = version
    self.terminations = terminations
  }

  private enum Input: Sendable {
    case line(LineSplitter.Line)
    case event(ScreeningEvent)
    /// A line for a screen reader has settled.
    case due(alarm: Int)
    /// A command that enters a party was carried out.
    case entered(UserCommand, line: String, Result<CommandAnswer, any Error>)
    case endOfInput
    case end
  }

  /// The way into a party, which takes some seconds if no participant answers. Meanwhile events are printed and `state`
  /// is answered; the other lines wait.
  private struct Entrance {
    var task: Task<Void, Never>?
    var held: Deque<LineSplitter.Line> = []
    var isInputOver = false
  }

  package func run() async throws {
    // A source waits while the inbox is full: then the bound of its own queue applies.
    let inbox = BoundedInbox<Input>(costLimit: 256)
    let lines = JSONLines.input()
    let tasks = [
      Task {
        for await line in lines { await inbox.send(.line(line)) }
        inbox.putEssential(.endOfInput)
      },
      Task {
        for await event in events { await inbox.send(.event(event)) }
      },
      Task {
        for await _ in terminations { inbox.putEssential(.end) }
      },
    ]
    var setting = AlarmSetting()
    let alarm = Alarm()
    defer {
      for task in tasks { task.cancel() }
      inbox.finish()
    }
    switch style {
    case .json: _ = JSONLines.write(.ready(version: version))
    case .plain:
      _ = PlainLines.write(["matinee \(version). Type help for the commands."]
      )
    }
    do {
      try await plan.begin(program)
    } catch {
      // A script doesn't read standard error; a user of plain lines does.
      if style == .json {
        _ = JSONLines.write(.failed(ErrorAdvice.text(of: error)))
      }
      throw error
    }
    // Every drawing event contains the whole drawing, so fewer of them suffice.
    await program.setDrawingPace(.milliseconds(100))
    var plain = PlainLines()
    var entrance = Entrance()
    defer { entrance.task?.cancel() }
    for await input in inbox.makeStream() {
      switch input {
      case .end: return
      case .endOfInput:
        guard entrance.task != nil else { return }
        entrance.isInputOver = true
      case .event(.userQuit), .event(.quitWanted): return
      case .event(.openWanted(let location)): await program.open(location)
      case .event(let event):
        if case .reach = event {
          do {
            try await plan.writeInvite(of: program)
          } catch {
            guard warn("\(error)") else { return }
          }
        }
        switch style {
        case .json:
          guard JSONLines.write(event) else { return }
        case .plain:
          let status = await program.status()
          guard PlainLines.write(plain.lines(for: event, status, at: .now())) else { return }
        }
      case .due(let number):
        guard setting.rang(number) else { continue }
        guard PlainLines.write(plain.settled(at: .now())) else { return }
      case .line(let line): guard try await handle(line, &entrance, inbox) else { return }
      case .entered(let command, let line, let result):
        entrance.task = nil
        guard try await report(result, of: command, line) else { return }
        while entrance.task == nil, let line = entrance.held.popFirst() {
          guard try await handle(line, &entrance, inbox) else { return }
        }
        if entrance.isInputOver, entrance.task == nil { return }
      }
      alarm.perform(setting.set(for: plain.due)) { inbox.putEssential(.due(alarm: $0)) }
    }
  }

  /// - Returns: false if standard output is closed.
  private func complain(_ problem: String, about line: String? = nil) -> Bool {
    switch style {
    case .json:
      JSONLines.write(.failed(problem, command: line.map { PartyText.clean($0, limit: 200) }))
    case .plain: PlainLines.write(["error: \(problem)"])
    }
  }

  /// - Returns: false if standard output is closed.
  private func warn(_ problem: String) -> Bool {
    switch style {
    case .json: JSONLines.write(.warning(problem))
    case .plain: PlainLines.write(["warning: \(problem)"])
    }
  }

  /// - Returns: false if standard output is closed.
  private func notice(_ text: String) -> Bool {
    switch style {
    case .json: JSONLines.write(.notice(text))
    case .plain: PlainLines.write([text])
    }
  }

  /// Answers the questions that only people ask.
  ///
  /// - Returns: nil for any other line.
  private func answer(_ line: String) async -> [String]? {
    guard style == .plain else { return nil }
    switch line.trimmingCharacters(in: .whitespaces) {
    case "help", "?": return PlainLines.help
    case "state": return await program.status().sentences
    case "who": return PlainLines.roster(await program.status())
    case "playlist": return PlainLines.playlist(await program.status())
    case "invite":
      return [await program.invite?.text ?? "You're not in a party. To open one, type: host"]
        + [await program.syncplay?.sentence].compactMap(\.self)
    default: return nil
    }
  }

  /// - Returns: false to quit.
  private func handle(
    _ line: LineSplitter.Line, _ entrance: inout Entrance, _ inbox: BoundedInbox<Input>
  ) async throws -> Bool {
    switch line {
    case .text(let text) where text.allSatisfy(\.isWhitespace): return true
    case .text(let text) where entrance.task == nil || Self.isUrgent(text):
      // People answer as on the screen.
      let answer = style == .plain ? Voting.answer(text) : nil
      return try await perform(answer.map { $0 ? "allow" : "deny" } ?? text, &entrance, inbox)
    case .tooLong where entrance.task == nil:
      let limit = LineSplitter.limit / 1024
      return complain("This line has more than \(limit) KiB. Write a shorter one.")
    case .text, .tooLong:
      guard entrance.held.count < Self.heldLimit else {
        return complain("Too many commands wait for the party. This one isn't carried out.")
      }
      entrance.held.append(line)
      return true
    }
  }

  /// The number of lines that wait while a party is entered.
  private static let heldLimit = 256
  private static let entrances: Set = ["host", "join", "rejoin"]

  private static func isUrgent(_ line: String) -> Bool {
    ["state", "quit"].contains(line.trimmingCharacters(in: .whitespaces))
  }

  /// - Returns: false to quit.
  private func perform(
    _ line: String, _ entrance: inout Entrance, _ inbox: BoundedInbox<Input>
  ) async throws -> Bool {
    if style == .plain, line.trimmingCharacters(in: .whitespaces) == "quit" {
      let others = await program.othersLosingParty
      guard others == 0 else {
        let keep =
          await program.canKeepRelay
          ? " To let this machine relay for them until they leave, type: keep-relay" : ""
        return PlainLines.write([
          "This closes the party for \(others == 1 ? "1 other" : "\(others) others"). To quit, type: quit now"
            + keep
        ])
      }
    }
    if let lines = await answer(line) { return PlainLines.write(lines) }
    let command: UserCommand
    do {
      command = try UserCommand(line)
    } catch {
      // A list of all commands is long to listen to.
      let advice = error.isUnknownCommand && style == .plain ? " Type help for the commands." : ""
      return complain("\(error)" + advice, about: line)
    }
    if case .quit = command { return false }
    guard Self.entrances.contains(command.name) else {
      return try await report(await result(of: command), of: command, line)
    }
    entrance.task = Task {
      inbox.putEssential(.entered(command, line: line, await result(of: command)))
    }
    return true
  }

  private func result(of command: UserCommand) async -> Result<CommandAnswer, any Error> {
    do { return .success(try await program.perform(command)) } catch { return .failure(error) }
  }

  /// - Returns: false if standard output is closed.
  private func report(
    _ result: Result<CommandAnswer, any Error>, of command: UserCommand, _ line: String
  ) async throws -> Bool {
    do {
      switch try result.get() {
      case .done: break
      case .notice(let text): return notice(text)
      case .state: return JSONLines.write(.state(await program.status().screeningState))
      }
      if case .host = command { try await plan.writeInvite(of: program) }
    } catch {
      return complain("\(error)", about: line)
    }
    return true
  }
}
