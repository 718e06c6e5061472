import ArgumentParser
import Concurrency
import Foundation
import GroupActivities
import PlaybackCoordination
import Timekeeping

/// The interface for scripts, bots and screen readers: one line per event and per command.
struct HeadlessSession: Sendable {
  enum Style: Hashable, Sendable {
    /// One JSON object per line, for programs.
    case json
    /// One sentence per line, for people.
    case plain
  }

  let theater: Theater
  let plan: Plan
  let style: Style

  private enum Input: Sendable {
    case line(LineSplitter.Line)
    case event(TheaterEvent)
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
        for await event in theater.events { await inbox.send(.event(event)) }
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
    case .json: _ = JSONLines.write(["event": "ready", "version": Matinee.configuration.version])
    case .plain:
      _ = PlainLines.write(["matinee \(Matinee.configuration.version). Type help for the commands."]
      )
    }
    do {
      try await plan.begin(theater)
    } catch {
      // A script doesn't read standard error; a user of plain lines does.
      if style == .json {
        _ = JSONLines.write(["event": "error", "message": ExitStatus.advice(error)])
      }
      throw error
    }
    // Every drawing event contains the whole drawing, so fewer of them suffice.
    await theater.setDrawingPace(.milliseconds(100))
    var plain = PlainLines()
    for await input in inbox.makeStream() {
      switch input {
      case .end: return
      case .event(.userQuit), .event(.quitWanted): return
      case .event(.openWanted(let location)): await theater.open(location)
      case .event(let event):
        if case .reach = event {
          do {
            try await plan.writeInvite(of: theater)
          } catch {
            guard complain("\(error)", as: "warning") else { return }
          }
        }
        switch style {
        case .json:
          for object in await HeadlessEvents.objects(for: event, in: theater) {
            guard JSONLines.write(object) else { return }
          }
        case .plain:
          let status = await theater.status()
          guard PlainLines.write(plain.lines(for: event, status, at: .now())) else { return }
        }
      case .due(let number):
        guard setting.rang(number) else { continue }
        guard PlainLines.write(plain.settled(at: .now())) else { return }
      case .line(.tooLong):
        let limit = LineSplitter.limit / 1024
        guard complain("This line has more than \(limit) KiB. Write a shorter one.", as: "error")
        else { return }
      case .line(.text(let line)):
        guard !line.allSatisfy(\.isWhitespace) else { continue }
        guard try await carryOut(line) else { return }
      }
      alarm.carryOut(setting.set(for: plain.due)) { inbox.putEssential(.due(alarm: $0)) }
    }
  }

  /// - Returns: false if standard output is closed.
  private func complain(_ problem: String, as event: String, about line: String? = nil) -> Bool {
    guard style == .json else { return PlainLines.write(["\(event): \(problem)"]) }
    var object: HeadlessEvents.Object = ["event": event, "message": problem]
    if let line { object["command"] = PartyText.clean(line, limit: 200) }
    return JSONLines.write(object)
  }

  /// Answers the questions that only people ask.
  ///
  /// - Returns: nil for any other line.
  private func answer(_ line: String) async -> [String]? {
    guard style == .plain else { return nil }
    switch line.trimmingCharacters(in: .whitespaces) {
    case "help", "?": return PlainLines.help
    case "state": return PlainLines.state(await theater.status())
    case "who": return PlainLines.roster(await theater.status())
    case "playlist": return PlainLines.playlist(await theater.status())
    case "invite":
      return [await theater.invite?.text ?? "You are in no party. To open one, type: host"]
    default: return nil
    }
  }

  /// - Returns: false to quit.
  private func carryOut(_ line: String) async throws -> Bool {
    if style == .plain, line.trimmingCharacters(in: .whitespaces) == "quit" {
      let others = await theater.othersLosingParty
      guard others == 0 else {
        return PlainLines.write([
          "This closes the party for \(others == 1 ? "1 other" : "\(others) others"). To quit, type: quit now"
        ])
      }
    }
    if let lines = await answer(line) { return PlainLines.write(lines) }
    do {
      switch try HeadlessCommand(line) {
      case .play(let immediately): try await theater.play(immediately: immediately)
      case .pause: try await theater.pause()
      case .seekTo(let place): try await theater.seek(to: place)
      case .seekBy(let distance): try await theater.seek(by: distance)
      case .rate(let rate): try await theater.setRate(rate)
      case .load(let location): await theater.open(location)
      case .loadAlone(let location): try await theater.openAlone(FilmIdentity.read(location))
      case .draw(let points):
        try await theater.draw()
        try await theater.draw(points)
      case .undo: try await theater.undoStroke()
      case .resetDrawing: try await theater.resetDrawing()
      case .leaveDrawing: await theater.leaveDrawing()
      case .react(let reaction): try await theater.react(reaction)
      case .chat(let text): try await theater.say(text)
      case .name(let name): try await theater.setName(name)
      case .scrub(let place): try await theater.scrub(to: place)
      case .endScrub(let place): try await theater.endScrub(at: place)
      case .readyCheck: try await theater.askWhetherReady()
      case .ready(let isReady): await theater.setReady(isReady)
      case .suspend(let reason): try await theater.suspend(reason)
      case .resume: await theater.resume()
      case .whatHappened: try await theater.whatHappened()
      case .state: return JSONLines.write(HeadlessEvents.state(await theater.status()))
      case .latencyOffset(let offset): await theater.setLatencyOffset(offset)
      case .playlist(let command): try await theater.carryOut(command)
      case .rule(let rule): try await theater.change(rule)
      case .host:
        try await theater.openParty(plan.hosting)
        try await plan.writeInvite(of: theater)
      case .join(let text):
        try await theater.joinParty(try Invite(text), brokers: plan.hosting.brokers)
      case .leave: await theater.leaveParty()
      case .end: try await theater.endSession()
      case .endParty: try await theater.closeParty()
      case .allow(let isAllowed, let forGood):
        await theater.decide(isAllowed, forGood: forGood)
      case .library(let command): try await theater.carryOut(command, plan.hosting)
      case .quit: return false
      }
    } catch {
      return complain("\(error)", as: "error", about: line)
    }
    return true
  }
}
