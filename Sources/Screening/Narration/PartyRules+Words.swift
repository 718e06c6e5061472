import GroupActivities

extension UserCommand.Rule {
  /// Returns the change of the party's rules that the command means.
  ///
  /// - Parameter guest: the participant of a link that a text names, who may be no participant yet.
  /// - Throws: `UserCommandProblem` if no participant has the given name.
  package func amendment(
    among participants: [Participant], guest: (String) -> Participant.ID? = { _ in nil }
  ) throws(UserCommandProblem) -> PartyAmendment {
    func find(_ name: String) throws(UserCommandProblem) -> Participant.ID {
      guard
        let found = participants.first(where: { $0.name == name })
          ?? participants.first(where: { $0.name.lowercased() == name.lowercased() })
      else {
        throw UserCommandProblem("There is no “\(name)” in the party.")
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
    case .remove(let name):
      if let guest = guest(name) { return .remove(guest) }
      return .remove(try find(name))
    case .close: return .close(admitting: participants.map(\.id))
    case .open: return .open
    }
  }
}

extension PartyRules {
  /// Returns the differences from `old` as texts for people, with the participants' names.
  package func changes(from old: PartyRules, name: (Participant.ID) -> String) -> [String] {
    var changes: [String] = []
    if control != old.control {
      changes.append(
        control == .hosts
          ? "limited control of playback to hosts" : "gave everyone control of playback")
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
        admitted == nil ? "unlocked the party" : "locked the party")
    }
    return changes
  }
}
