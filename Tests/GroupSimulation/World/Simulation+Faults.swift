@testable import GroupActivities
@testable import PlaybackCoordination

/// The beginning and the end of faults.
extension Simulation {
  func begin(_ fault: Fault) {
    story.add("fault begins: \(fault.kind)", at: now)
    network.begin(fault)
    switch fault.kind {
    case .loss, .duplication, .jitter, .islands, .mute: break
    case .relayRestart:
      for participant in participants { disconnect(participant) }
    case .disconnection(let number): each(number) { disconnect($0) }
    case .frozen(let number): each(number) { freeze($0, until: fault.until) }
    case .slowSeeks(let number, let cost): each(number) { $0.player.seekCost = cost }
    case .stall(let number): each(number) { schedule(.stall($0.index), at: now) }
    case .failure(let number): each(number) { $0.player.isFailing = true }
    }
  }

  func end(_ fault: Fault) {
    story.add("fault ends: \(fault.kind)", at: now)
    network.end(fault)
    switch fault.kind {
    case .loss, .duplication, .jitter, .islands, .mute, .frozen: break
    case .relayRestart:
      for participant in participants {
        // The participants return at different moments, and none after the faults are over.
        let back = min(max(now, scenario.calmAt), now + dice.number(0...(.seconds(1))))
        schedule(.reconnect(participant.index), at: back)
      }
    case .disconnection(let number): each(number) { schedule(.reconnect($0.index), at: now) }
    case .slowSeeks(let number, _):
      each(number) { $0.player.seekCost = $0.person.seekCost }
    case .stall(let number): each(number) { schedule(.recover($0.index), at: now) }
    case .failure(let number): each(number) { schedule(.mended($0.index), at: now) }
    }
  }

  private func each(_ number: Int, _ body: (SimulatedParticipant) -> Void) {
    if let participant = participant(numbered: number) { body(participant) }
  }

  func disconnect(_ participant: SimulatedParticipant) {
    participant.outages += 1
    participant.connection += 1
    act(participant) { machine, _ in machine.disconnected() }
    linkChanged(participant)
    linkReported(participant)
  }

  func reconnect(_ participant: SimulatedParticipant) {
    participant.outages -= 1
    guard participant.outages == 0, participant.isRunning else { return }
    if case .outside? = participant.program?.stay { return }
    if case .over? = participant.program?.stay { return }
    act(participant) { $0.connected(at: $1) }
    linkChanged(participant)
    linkReported(participant)
  }

  private func linkChanged(_ participant: SimulatedParticipant) {
    guard participant.isRunning, participant.session != nil else { return }
    let isUp = participant.party.isConnected
    coordinate(participant, .membership) { $0.setLinkUp(isUp, at: $1) }
  }

  private func freeze(_ participant: SimulatedParticipant, until end: Nanoseconds) {
    let longest = max(end, participant.frozenUntil ?? 0)
    if participant.frozenUntil == nil { participant.frozenAt = now }
    participant.frozenUntil = longest
    schedule(.thaw(participant.index), at: longest)
  }

  /// Lets its player continue from its position when the process last ran.
  func thaw(_ participant: SimulatedParticipant) {
    guard let until = participant.frozenUntil, until <= now else { return }
    participant.frozenUntil = nil
    participant.thawedAt = now
    participant.player.slept(
      from: participant.hostTime(at: participant.frozenAt), until: participant.hostTime(at: now))
  }

  /// Begins a suspension, as the program does: a player that has run out of data is suspended until
  /// it plays again.
  func stall(_ participant: SimulatedParticipant) {
    guard participant.program == nil else { return programStalled(true, participant) }
    guard participant.stallSuspension == nil else { return }
    participant.player.setStalled(true, at: participant.hostTime(at: now))
    coordinate(participant, .player) {
      let (began, actions) = $0.beginSuspension(for: .stallRecovery, at: $1)
      participant.stallSuspension = began
      return actions
    }
  }

  func recover(_ participant: SimulatedParticipant) {
    guard participant.program == nil else { return programStalled(false, participant) }
    guard let id = participant.stallSuspension else { return }
    participant.stallSuspension = nil
    endStall(of: participant)
    coordinate(participant, .player) { $0.endSuspension(id, at: $1) }
  }

  func endStall(of participant: SimulatedParticipant) {
    participant.player.setStalled(false, at: participant.hostTime(at: now))
    setPlayerAlarm(participant)
  }

  func mended(_ participant: SimulatedParticipant) {
    participant.player.isFailing = false
    guard participant.player.item != nil else { return }
    coordinate(participant, .player) { $0.playerBecameReady(at: $1) }
  }
}
