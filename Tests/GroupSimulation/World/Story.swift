import Timekeeping

@testable import GroupActivities
@testable import PlaybackCoordination

/// The occurrences, one line each: time, participant, event. Participants have numbers as names.
struct Story {
  let isTold: Bool
  private(set) var lines: [String] = []
  /// The films of programs, as they were told last.
  private var shown: [Int: String] = [:]

  init(isTold: Bool) { self.isTold = isTold }

  mutating func add(_ text: @autoclosure () -> String, at now: Nanoseconds) {
    guard isTold else { return }
    let time = now.secondsText
    lines.append(String(repeating: " ", count: max(0, 8 - time.count)) + time + "  " + text())
  }

  mutating func add(
    _ occurrence: Occurrence, of participant: SimulatedParticipant, in simulation: Simulation
  ) {
    func name(_ id: Participant.ID) -> String { simulation.participant(id)?.label ?? "itself" }
    let text: String
    switch occurrence {
    case .coordinated, .tick, .applied, .sessionTaken: return
    case .issued(let directive, _, _):
      let origin = directive.originator.map { " for \(name($0))" } ?? ""
      text = "tells its player to \(Self.text(directive, participant))\(origin)"
    case .answered(let directive, let result):
      text = "'s player answers \(Self.word(directive)): \(Self.text(result))"
    case .started(_, _, let place): text = "'s player plays from \(place.nanoseconds.secondsText)"
    case .jumped: text = "'s player jumps over a gap"
    case .published(let report):
      let state = report.state.map { Self.text($0, participant, name($0.originator)) } ?? "nothing"
      let readiness = report.readyFor == nil ? "" : ", ready"
      let reasons = report.suspensions.map(\.rawValue).joined(separator: "+")
      text = "reports \(state)\(readiness)\(reasons.isEmpty ? "" : ", suspended: " + reasons)"
    case .waiting(let waiting):
      guard let waiting else {
        return add("\(participant.label) waits no more", at: simulation.now)
      }
      text = "waits for " + waiting.participants.sorted().map(name).joined(separator: " ")
    case .changed(let change):
      text = "sees \(change.kind.rawValue) by \(name(change.originator))"
    case .chatSent(let number): text = "sends message \(number)"
    case .chatHeard(let sender, let number): text = "hears message \(number) of \(name(sender))"
    case .eventsMissing(let sender, let count): text = "misses \(count) of \(name(sender))"
    case .sealed: return
    case .arrived: text = "is in the party"
    case .met(let other): text = "meets \(name(other))"
    case .lost(let other): text = "takes \(name(other)) for gone"
    case .gone: text = "is gone"
    case .rulesChanged(let rules):
      let hosts = ([rules.host] + rules.coHosts.sorted()).map(name).joined(separator: " ")
      text =
        "takes it that \(rules.control == .hosts ? "only \(hosts)" : "everybody") may control"
        + (rules.removed.isEmpty
          ? "" : ", and that \(rules.removed.sorted().map(name).joined(separator: " ")) is out")
    case .refused: text = "may not"
    case .program(.used(let command, let error?)): text = "can't \(command.name): \(error)"
    case .program(.listSet(_, let after, _)):
      text = "sets the list \(after.entries.map(\.title)), now \(after.current.title)"
    case .program(.toldOfEnd): text = "is told of the end"
    case .program(.leaves): text = "begins to leave"
    case .program(.effect(.report(.changed))): return
    case .program(.effect(.sync)), .program(.effect(.look(.remember))),
      .program(.effect(.library(.remember))), .program(.effect(.reportToParticipants)),
      .program(.effect(.party(.rememberList))), .program(.effect(.party(.tellInvite))),
      .program(.effect(.party(.countClients))), .program(.event(.party(.clients(0)))),
      .program(.event(.party(.reported))), .program(.effect(.player)):
      return
    case .program(.event(let event)): text = "'s program hears \(Self.plain("\(event)"))"
    case .program(.effect(let effect)): text = "'s program: \(Self.plain("\(effect)"))"
    case .program(.contacted(let origin)): text = "connects to \(origin)"
    case .program(.typed), .program(.planned), .program(.heard): return
    case .program(.filmMachine):
      guard let filmMachine = participant.program?.loop.machine.filmMachine else { return }
      let words = "\(filmMachine.film?.title ?? "none") \(filmMachine.state)"
      guard shown[participant.index] != words else { return }
      shown[participant.index] = words
      text = "'s film: \(filmMachine.film?.title ?? "none"), \(filmMachine.state)"
    case .program(.used(_, nil)): return
    }
    add(participant.label + (text.hasPrefix("'") ? "" : " ") + text, at: simulation.now)
  }

  /// Returns a description without the names of modules and types.
  private static func plain(_ description: String) -> String {
    let words = description.split(separator: " ", omittingEmptySubsequences: false).map { word in
      word.split(separator: "(", omittingEmptySubsequences: false).map { part -> Substring in
        guard let dot = part.lastIndex(of: "."), part.first?.isUppercase == true else {
          return part
        }
        return part[part.index(after: dot)...]
      }.joined(separator: "(")
    }
    return String(words.joined(separator: " ").prefix(240))
  }

  static func text(_ what: Deed.What) -> String {
    switch what {
    case .play(let rate, let immediately): "plays at \(rate)\(immediately ? " at once" : "")"
    case .defaultRate(let rate): "sets the rate \(rate)"
    case .pause: "pauses"
    case .seek(let milliseconds, let immediately):
      "seeks to \(Nanoseconds.milliseconds(milliseconds).secondsText)"
        + (immediately ? ", resuming at once" : "")
    case .reapply: "re-applies the state"
    case .suspend(let reason): "suspends: \(reason)"
    case .endSuspension(nil): "ends a suspension"
    case .endSuspension(let place?):
      "ends a suspension, proposing \(Nanoseconds.milliseconds(place).secondsText)"
    case .whatHappened: "asks what happened"
    case .open(let item): "opens \(item ?? "nothing")"
    case .openForAll(let item): "opens \(item) for all"
    case .newSession: "starts a new session"
    case .begin(let kind): "starts a session of \(kind)"
    case .chat: "chats"
    case .rename(let name): "wants to be called \(name)"
    case .amend(let amendment): "changes the rules: \(amendment)"
    case .leave: "leaves"
    case .leaveRelayBehind: "leaves its relay behind"
    case .crash: "crashes"
    case .use(let line): "types “\(line)”"
    case .touch(let touch): "in the player: \(touch)"
    }
  }

  private static func word(_ directive: PlayerDirective) -> String {
    switch directive.kind {
    case .play: "play"
    case .pause: "pause"
    case .buffer: "buffer"
    case .seek: "seek"
    case .seekAndBuffer: "seek and buffer"
    }
  }

  private static func text(_ directive: PlayerDirective, _ participant: SimulatedParticipant)
    -> String
  {
    switch directive.kind {
    case .play(let rate, let place, let instant):
      "play \(directive.item) at \(rate) from \(place.nanoseconds.secondsText) "
        + "when it is \(text(instant, participant))"
    case .pause, .buffer: word(directive)
    case .seek(let place), .seekAndBuffer(let place, _, _):
      "\(word(directive)) to \(place.nanoseconds.secondsText)"
    }
  }

  private static func text(_ result: CommandResult) -> String {
    switch result {
    case .completed(let place): place.map { "done, at \($0.nanoseconds.secondsText)" } ?? "done"
    case .superseded: "superseded"
    case .failed(let reason): "failed, \(reason.rawValue)"
    }
  }

  private static func text(
    _ state: ItemState, _ participant: SimulatedParticipant, _ originator: String
  ) -> String {
    let phase =
      switch state.phase {
      case .paused(let at, let isExact):
        "paused at \(isExact ? "" : "about ")\(at.nanoseconds.secondsText)"
      case .starting(let from, let due):
        "starting from \(from.nanoseconds.secondsText), due \(text(due, participant))"
      case .playing(let line):
        "playing at \(state.rate) from \(line.itemTime.nanoseconds.secondsText) "
          + "when it is \(text(line.groupTime, participant))"
      }
    return "\(state.item) \(phase) (\(state.change.rawValue) by \(originator))"
  }

  /// Returns group time as true time, by the participant's own clock.
  private static func text(_ time: GroupTime, _ participant: SimulatedParticipant) -> String {
    participant.trueTime(participant.hostTime(time)).secondsText
  }
}
