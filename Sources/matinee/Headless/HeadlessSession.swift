import ArgumentParser
import Foundation
import GroupActivities
import PlaybackCoordination
import Timekeeping

/// The face for scripts, bots and screen readers: events out, commands in, a line each.
struct HeadlessSession: Sendable {
  let theater: Theater
  let plan: Plan

  private enum Input: Sendable {
    case line(String)
    case event(TheaterEvent)
    case end
  }

  func run() async throws {
    let (lines, taken) = JSONLines.input()
    let (inputs, continuation) = AsyncStream.makeStream(of: Input.self)
    let tasks = [
      Task {
        for await line in lines { continuation.yield(.line(line)) }
        continuation.yield(.end)
      },
      Task {
        for await event in theater.events { continuation.yield(.event(event)) }
      },
      Task {
        for await _ in Signals.termination() { continuation.yield(.end) }
      },
    ]
    defer { for task in tasks { task.cancel() } }
    _ = JSONLines.write(["event": "ready", "version": Matinee.configuration.version])
    do {
      try await plan.begin(theater)
    } catch {
      _ = JSONLines.write(["event": "error", "message": ExitStatus.advice(error)])
      throw error
    }
    for await input in inputs {
      switch input {
      case .end: return
      case .event(.userQuit): return
      case .event(let event):
        if case .reach = event {
          do {
            try await plan.writeInvite(of: theater)
          } catch {
            guard JSONLines.write(["event": "warning", "message": "\(error)"]) else { return }
          }
        }
        for object in await HeadlessEvents.objects(for: event, in: theater) {
          guard JSONLines.write(object) else { return }
        }
      case .line(let line):
        defer { taken() }
        guard !line.allSatisfy(\.isWhitespace) else { continue }
        guard try await carryOut(line) else { return }
      }
    }
  }

  /// - Returns: false to quit.
  private func carryOut(_ line: String) async throws -> Bool {
    do {
      switch try HeadlessCommand(line) {
      case .play(let immediately): try await theater.play(immediately: immediately)
      case .pause: try await theater.pause()
      case .seekTo(let place): try await theater.seek(to: place)
      case .seekBy(let distance): try await theater.seek(by: distance)
      case .rate(let rate): try await theater.setRate(rate)
      case .load(let location): await theater.open(location)
      case .chat(let text): try await theater.say(text)
      case .name(let name): try await theater.setName(name)
      case .scrub(let place): try await theater.scrub(to: place)
      case .endScrub(let place): try await theater.endScrub(at: place)
      case .readyCheck: try await theater.askWhetherReady()
      case .ready(let isReady): await theater.setReady(isReady)
      case .suspend(let reason): await theater.suspend(reason)
      case .resume: await theater.resume()
      case .whatHappened: await theater.whatHappened()
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
      case .allow(let isAllowed): await theater.decide(isAllowed)
      case .quit: return false
      }
    } catch {
      return JSONLines.write(
        ["event": "error", "message": "\(error)", "command": PartyText.clean(line, limit: 200)])
    }
    return true
  }
}
