import DrawTogether
import PlaybackCoordination
import Timekeeping

/// A command of a script: one line of its input.
enum HeadlessCommand: Hashable, Sendable {
  case play(immediately: Bool)
  case pause
  case seekTo(MediaTime)
  case seekBy(Duration)
  case rate(Double)
  case load(String)
  case loadAlone(String)
  case react(Reaction)
  /// Takes part in the drawing. With points, it also draws a line through them.
  case draw([PicturePoint])
  case undo
  case resetDrawing
  case leaveDrawing
  case chat(String)
  case name(String)
  case scrub(MediaTime)
  /// Ends the preview at this position; nil discards it.
  case endScrub(MediaTime?)
  case readyCheck
  case ready(Bool)
  case suspend(CoordinatedPlaybackSuspension.Reason)
  case resume
  case whatHappened
  case state
  case latencyOffset(LatencyOffset)
  case rule(RuleCommand)
  case playlist(PlaylistCommand)
  case host
  case join(String)
  case leave
  /// Ends the film for all participants; the party continues.
  case end
  case endParty
  case allow(Bool, forGood: Bool)
  case library(LibraryCommand)
  case quit

  struct Problem: Error, Hashable, CustomStringConvertible { var description: String }

  /// - Throws: ``Problem`` with a description of the expected input.
  init(_ line: String) throws(Problem) {
    let words = line.split(separator: " ", maxSplits: 1)
    let rest = words.count > 1 ? String(words[1]).trimmingSpaces : ""
    func needArgument(_ what: String) throws(Problem) -> String {
      guard !rest.isEmpty else { throw Problem(description: "\(words[0]) needs \(what)") }
      return rest
    }
    switch words.first.map(String.init) ?? "" {
    case "play": self = .play(immediately: rest == "now")
    case "pause": self = .pause
    case "seek":
      let text = try needArgument("seconds, as in: seek 754.5, seek +10")
      guard let seconds = Double(text), seconds.isFinite, abs(seconds) < 1e7 else {
        throw Problem(description: "“\(text)” isn't a number of seconds")
      }
      self =
        text.hasPrefix("+") || text.hasPrefix("-")
        ? .seekBy(Duration(clampingSeconds: seconds)) : .seekTo(MediaTime(seconds: seconds))
    case "rate":
      let text = try needArgument("a speed, as in: rate 1.25")
      guard let rate = Double(text), rate.isFinite else {
        throw Problem(description: "“\(text)” isn't a speed, as in: rate 1.25")
      }
      self = .rate(rate)
    case "load": self = .load(try needArgument("a file or a URL"))
    case "load-alone": self = .loadAlone(try needArgument("a file or a URL"))
    case "react":
      let all = Reaction.allCases.map(\.rawValue).joined(separator: ", ")
      guard let reaction = Reaction(rawValue: try needArgument("a reaction: \(all)")) else {
        throw Problem(
          description: "“\(rest.prefix(40))” isn't a reaction; the reactions are \(all)")
      }
      self = .react(reaction)
    case "draw": self = .draw(try Self.points(rest))
    case "undo": self = .undo
    case "reset-drawing": self = .resetDrawing
    case "leave-drawing": self = .leaveDrawing
    case "chat": self = .chat(try needArgument("a text"))
    case "name": self = .name(try needArgument("a name"))
    case "scrub":
      let text = try needArgument("seconds or cancel, as in: scrub 754.5")
      if text == "cancel" {
        self = .endScrub(nil)
      } else {
        self = .scrub(try Self.place(text))
      }
    case "release":
      self = .endScrub(try Self.place(try needArgument("seconds, as in: release 754.5")))
    case "ready-check": self = .readyCheck
    case "ready": self = .ready(true)
    case "not-ready": self = .ready(false)
    case "suspend": self = .suspend(.init(rawValue: rest.isEmpty ? "userActionRequired" : rest))
    case "resume": self = .resume
    case "what-happened": self = .whatHappened
    case "state": self = .state
    case "latency-offset":
      let text = try needArgument("milliseconds, as in: latency-offset 180")
      do {
        self = .latencyOffset(try LatencyOffset(parsing: text))
      } catch {
        throw Problem(description: error.description)
      }
    case let word where PlaylistCommand.words.contains(word):
      self = .playlist(try PlaylistCommand(word, rest))
    case let word where LibraryCommand.words.contains(word):
      self = .library(try LibraryCommand(word, rest))
    case let word where RuleCommand.words.contains(word):
      self = .rule(try RuleCommand(word, rest))
    case "host": self = .host
    case "join": self = .join(try needArgument("an invite"))
    case "leave": self = .leave
    case "end": self = .end
    case "end-party": self = .endParty
    case "allow": self = .allow(true, forGood: rest == "always")
    case "deny": self = .allow(false, forGood: false)
    case "quit": self = .quit
    case let other:
      throw Problem(
        description:
          "“\(other.prefix(40))” isn't a command; the commands are play, pause, seek, rate, load, "
          + "load-alone, chat, react, draw, undo, reset-drawing, leave-drawing, name, scrub, release, ready, not-ready, ready-check, suspend, resume, what-happened, state, latency-offset, host, join, leave, end, end-party, allow, deny, "
          + "\((PlaylistCommand.words + LibraryCommand.words + RuleCommand.words).joined(separator: ", ")), quit"
      )
    }
  }
}

extension HeadlessCommand {
  private static func points(_ text: String) throws(Problem) -> [PicturePoint] {
    let words = text.split(separator: " ")
    let numbers = words.compactMap { Double($0) }.filter { (0...1).contains($0) }
    guard numbers.count == words.count, words.count.isMultiple(of: 2) else {
      throw Problem(
        description: "draw needs points in the video (0 to 1), as in: draw 0.1 0.1 0.5 0.8")
    }
    return stride(from: 0, to: numbers.count, by: 2).map {
      PicturePoint(x: numbers[$0], y: numbers[$0 + 1])
    }
  }

  private static func place(_ text: String) throws(Problem) -> MediaTime {
    guard let seconds = Double(text), seconds.isFinite, seconds >= 0, seconds < 1e7 else {
      throw Problem(description: "“\(text)” isn't a number of seconds")
    }
    return MediaTime(seconds: seconds)
  }
}

extension String {
  fileprivate var trimmingSpaces: String {
    var text = self[...]
    while text.first == " " { text.removeFirst() }
    while text.last == " " || text.last == "\r" { text.removeLast() }
    return String(text)
  }
}
