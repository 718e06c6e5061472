import GroupActivities

/// A change of the party's rules as the user types it: in a script's input, or after a slash in the chat.
enum RuleCommand: Hashable, Sendable {
  case control(PartyRules.Control)
  case lifetime(PartyRules.Lifetime)
  case waitFor(PartyRules.Waiting)
  case coHost(name: String)
  case guest(name: String)
  case handOver(name: String)
  case remove(name: String)
  case close
  case open

  static let words = [
    "control", "lifetime", "wait-for", "co-host", "guest", "hand-over", "remove", "close", "open",
  ]

  /// - Throws: ``HeadlessCommand/Problem`` with a description of the expected input.
  init(_ word: String, _ rest: String) throws(HeadlessCommand.Problem) {
    func needName() throws(HeadlessCommand.Problem) -> String {
      guard !rest.isEmpty else {
        throw HeadlessCommand.Problem(
          description: "\(word) needs a participant's name, as in: \(word) Ana")
      }
      return rest
    }
    switch (word, rest) {
    case ("control", "everyone"): self = .control(.everyone)
    case ("control", "hosts"): self = .control(.hosts)
    case ("control", _):
      throw HeadlessCommand.Problem(
        description: "control needs everyone or hosts, as in: control hosts")
    case ("lifetime", "automatic"): self = .lifetime(.automatic)
    case ("lifetime", "host"): self = .lifetime(.endsWhenHostLeaves)
    case ("lifetime", _):
      throw HeadlessCommand.Problem(
        description: "lifetime needs automatic or host, as in: lifetime host")
    case ("wait-for", "everyone"): self = .waitFor(.everyone)
    case ("wait-for", "nobody"): self = .waitFor(.nobody)
    case ("wait-for", _):
      throw HeadlessCommand.Problem(
        description: "wait-for needs everyone or nobody, as in: wait-for nobody")
    case ("co-host", _): self = .coHost(name: try needName())
    case ("guest", _): self = .guest(name: try needName())
    case ("hand-over", _): self = .handOver(name: try needName())
    case ("remove", _): self = .remove(name: try needName())
    case ("close", _): self = .close
    case ("open", _): self = .open
    default: throw HeadlessCommand.Problem(description: "“\(word)” isn't a rule of the party")
    }
  }

  /// Returns the change of the party's rules that the command means.
  ///
  /// - Throws: ``HeadlessCommand/Problem`` if no participant has the given name.
  func amendment(
    among participants: [Participant]
  ) throws(HeadlessCommand.Problem) -> PartyAmendment {
    func find(_ name: String) throws(HeadlessCommand.Problem) -> Participant.ID {
      guard
        let found = participants.first(where: { $0.name == name })
          ?? participants.first(where: { $0.name.lowercased() == name.lowercased() })
      else {
        throw HeadlessCommand.Problem(description: "Nobody in the party is called “\(name)”.")
      }
      return found.id
    }
    switch self {
    case .control(let control): return .control(control)
    case .lifetime(let lifetime): return .lifetime(lifetime)
    case .waitFor(let waiting): return .waiting(waiting)
    case .coHost(let name): return .appointCoHost(try find(name))
    case .guest(let name): return .dismissCoHost(try find(name))
    case .handOver(let name): return .handOver(to: try find(name))
    case .remove(let name): return .remove(try find(name))
    case .close: return .close(admitting: participants.map(\.id))
    case .open: return .open
    }
  }
}

extension PartyRules {
  /// Returns the differences from `old` as texts for people, with the participants' names.
  func changes(from old: PartyRules, name: (Participant.ID) -> String) -> [String] {
    var changes: [String] = []
    if control != old.control {
      changes.append(
        control == .hosts
          ? "now lets only hosts control playback" : "now lets everyone control playback")
    }
    if lifetime != old.lifetime {
      changes.append(
        lifetime == .automatic
          ? "keeps the party open without its host" : "ends the party when its host leaves")
    }
    if waiting != old.waiting {
      changes.append(
        waiting == .everyone
          ? "waits for trailers and for people who aren't ready before the film starts"
          : "no longer waits for trailers or for people who aren't ready")
    }
    if host != old.host { changes.append("made \(name(host)) the host") }
    for id in coHosts.subtracting(old.coHosts).sorted() where id != old.host {
      changes.append("made \(name(id)) a co-host")
    }
    for id in old.coHosts.subtracting(coHosts).sorted() where id != host && !removed.contains(id) {
      changes.append("made \(name(id)) a guest")
    }
    for id in removed.subtracting(old.removed).sorted() {
      changes.append("removed \(name(id)) from the party")
    }
    if (admitted == nil) != (old.admitted == nil) {
      changes.append(
        admitted == nil ? "opened the party to newcomers" : "closed the party to newcomers")
    }
    return changes
  }
}
