import ArgumentParser
import Concurrency
import Foundation
import GroupActivities
import Screening
import Timekeeping

/// The interface for scripts, bots and screen readers: one line per event and per command.
struct HeadlessSession: Sendable {
  enum Style: Hashable, Sendable {
    /// One JSON object per line, for programs.
    case json
    /// One sentence per line, for people.
    case plain
  }

  /// The number of events that wait while the reader of the output is slow. Beyond it the oldest are dropped, and
  /// `missed` reports how many.
  static let eventLimit = 4096

  let program: Program
  /// The program's events, at most ``eventLimit`` of them.
  let events: AsyncStream<ScreeningEvent>
  let plan: Plan
  let style: Style

  private enum Input: Sendable {
    case line(LineSplitter.Line)
    case event(ScreeningEvent)
    /// A line for a screen reader has settled.
    case due(alarm: Int)
    case end
  }

  func run() async throws {
    // A source waits while the inbox is full: then the bound of its own queue applies.
    let inbox = BoundedInbox<Input>(costLimit: 256)
    let lines = JSONLines.input()
    let tasks = [
      Task {
        for await line in lines { await inbox.send(.line(line)) }
        inbox.putEssential(.end)
      },
      Task {
        for await event in events { await inbox.send(.event(event)) }
      },
      Task {
        for await _ in await Signals.termination() { inbox.putEssential(.end) }
      },
    ]
    var setting = AlarmSetting()
    let alarm = Alarm()
    defer {
      for task in tasks { task.cancel() }
      inbox.finish()
    }
    switch style {
    case .json: _ = JSONLines.write(.ready(version: Matinee.configuration.version))
    case .plain:
      _ = PlainLines.write(["matinee \(Matinee.configuration.version). Type help for the commands."]
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
    await program.drawing.setPace(.milliseconds(100))
    var plain = PlainLines()
    for await input in inbox.makeStream() {
      switch input {
      case .end: return
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
      case .line(.tooLong):
        let limit = LineSplitter.limit / 1024
        guard complain("This line has more than \(limit) KiB. Write a shorter one.") else { return }
      case .line(.text(let line)):
        guard !line.allSatisfy(\.isWhitespace) else { continue }
        guard try await perform(line) else { return }
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
      return [await program.invite?.text ?? "You are in no party. To open one, type: host"]
    default: return nil
    }
  }

  /// - Returns: false to quit.
  private func perform(_ line: String) async throws -> Bool {
    if style == .plain, line.trimmingCharacters(in: .whitespaces) == "quit" {
      let others = await program.parties.othersLosingParty
      guard others == 0 else {
        let keep =
          await program.parties.canKeepRelay
          ? " To let this machine relay for them until they leave, type: keep-relay" : ""
        return PlainLines.write([
          "This closes the party for \(others == 1 ? "1 other" : "\(others) others"). To quit, type: quit now"
            + keep
        ])
      }
    }
    if let lines = await answer(line) { return PlainLines.write(lines) }
    do {
      let command = try UserCommand(line)
      if case .quit = command { return false }
      switch try await program.perform(command) {
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
