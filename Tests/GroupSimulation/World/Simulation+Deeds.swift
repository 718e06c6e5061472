import Foundation
import Timekeeping

@testable import GroupActivities
@testable import PlaybackCoordination

/// The people's actions.
extension Simulation {
  func arrive(_ participant: SimulatedParticipant) {
    story.add("\(participant.label) starts", at: now)
    participant.isRunning = true
    noteWallClock(participant)
    if scenario.hasRelays { beginRelays(of: participant) }
    if scenario.isWholeProgram {
      schedule(.tick(participant.index), at: now + .milliseconds(500))
      return beginProgram(participant)
    }
    if participant.person.isPrepared {
      let item = Scenario.items[0]
      _ = participant.player.load(
        item, duration: Scenario.durations[item]!, gap: Scenario.gaps[item])
      coordinate(participant, .user) {
        $0.transition(to: item, proposing: nil, isPlayerReady: true, at: $1)
      }
    }
    schedule(.tick(participant.index), at: now + .milliseconds(500))
    guard participant.outages == 0 else { return }
    act(participant) { $0.connected(at: $1) }
    if participant.index == 0 { startSession(participant, Scenario.items[0]) }
  }

  private func startSession(_ participant: SimulatedParticipant, _ item: String) {
    request(participant) {
      $0.activate(identifier: "watch", activity: Data(item.utf8), at: $1)
    }
  }

  func perform(_ what: Deed.What, _ participant: SimulatedParticipant) {
    guard participant.isRunning else { return }
    story.add("\(participant.label) \(Story.text(what))", at: now)
    switch what {
    case .play(let rate, let immediately):
      command(participant) {
        $0.coordinateRateChange(to: rate, immediately: immediately, at: $1)
      }
    case .defaultRate(let rate):
      command(participant) { $0.coordinateDefaultRateChange(to: rate, at: $1) }
    case .pause:
      command(participant) { $0.coordinateRateChange(to: 0, immediately: false, at: $1) }
    case .seek(let milliseconds, let resumeImmediately):
      let place = MediaTime(nanoseconds: .milliseconds(milliseconds))
      command(participant) {
        $0.coordinateSeek(to: place, resumeImmediately: resumeImmediately, at: $1)
      }
    case .reapply:
      coordinate(participant, .user) { $0.reapply(at: $1) }
    case .suspend(let reason):
      coordinate(participant, .user) {
        let (id, actions) = $0.beginSuspension(for: .init(rawValue: reason), at: $1)
        participant.suspensions.append(id)
        return actions
      }
    case .endSuspension(let milliseconds):
      guard !participant.suspensions.isEmpty else { return }
      let id = participant.suspensions.removeFirst()
      let place = milliseconds.map { MediaTime(nanoseconds: .milliseconds($0)) }
      coordinate(participant, .user) {
        $0.endSuspension(id, proposingNewTime: place, at: $1)
      }
    case .whatHappened:
      coordinate(participant, .user) { $0.whatHappened(at: $1) }
    case .open(let item): open(item, at: participant)
    case .openForAll(let item):
      guard let session = participant.session else { return }
      request(participant) {
        $0.changeSession(session, at: $1) { $0.activity = Data(item.utf8) }
      }
    case .newSession: startSession(participant, Scenario.items[0])
    case .begin(let kind):
      request(participant) { $0.activate(identifier: kind, activity: Data(), at: $1) }
    case .chat:
      guard participant.party.joinedAt != nil else { return }
      participant.chatsSent += 1
      note(.chatSent(participant.chatsSent), at: participant)
      let text = String(participant.chatsSent)
      act(participant) { machine, _ in machine.sendChat(text) }
    case .rename(let name):
      act(participant) { $0.rename(name, at: $1) }
    case .amend(let amendment):
      let amendment = partyAmendment(amendment, by: participant)
      request(participant) { $0.amend(amendment, at: $1) }
    case .leave:
      act(participant) { machine, _ in machine.leave() }
      stop(participant)
    case .leaveRelayBehind: leaveRelayBehind(participant)
    case .crash: stop(participant)
    case .use(let line): use(line, at: participant)
    case .touch(let touch): self.touch(touch, at: participant)
    }
  }

  /// Runs a command that the coordinator's shell passes on only if this participant may control.
  private func command(
    _ participant: SimulatedParticipant,
    _ body: (inout CoordinatorMachine, GroupTime) -> [CoordinatorAction]
  ) {
    let machine = participant.coordinator
    guard machine.isApart || mutation.mayControl(machine, machine.me) else {
      return note(.refused, at: participant)
    }
    coordinate(participant, .user, body)
  }

  /// Runs a request that the party's machine refuses to participants without the permission.
  private func request(
    _ participant: SimulatedParticipant,
    _ body: (inout PartyMachine, HostTime) -> [PartyAction]?
  ) {
    if !isGranted(body, to: participant) { note(.refused, at: participant) }
  }

  /// Runs a request to the party's machine, and returns whether the machine granted it.
  func isGranted(
    _ body: (inout PartyMachine, HostTime) -> [PartyAction]?, to participant: SimulatedParticipant
  ) -> Bool {
    var isGranted = true
    act(participant) { machine, now in
      guard let actions = body(&machine, now) else {
        isGranted = false
        return []
      }
      return actions
    }
    return isGranted
  }

  private func partyAmendment(
    _ amendment: Deed.Amendment, by author: SimulatedParticipant
  ) -> PartyAmendment {
    func id(_ number: Int) -> Participant.ID {
      SimulatedParticipant.id(Person(number), seed: scenario.seed)
    }
    return switch amendment {
    case .onlyHostsControl: .control(.hosts)
    case .everyoneControls: .control(.everyone)
    case .endsWhenHostLeaves: .lifetime(.endsWhenHostLeaves)
    case .outlivesHost: .lifetime(.automatic)
    case .open: .open
    case .close: .close(admitting: ([author.party.me] + author.party.others).map(\.id))
    case .appoint(let number): .appointCoHost(id(number))
    case .dismiss(let number): .dismissCoHost(id(number))
    case .handOver(let number): .handOver(to: id(number))
    case .remove(let number): .remove(id(number))
    }
  }

  func stop(_ participant: SimulatedParticipant) {
    participant.isRunning = false
    note(.gone, at: participant)
  }

  /// Notes that a participant sees a moment, and schedules the deeds that depend on it.
  func witness(_ moment: Deed.Moment, _ participant: SimulatedParticipant) {
    let nth = (participant.moments[moment] ?? 0) + 1
    participant.moments[moment] = nth
    for (number, deed) in scenario.deeds.enumerated() where deed.by == participant.person.number {
      guard case .after(moment, nth, let delay) = deed.when, now + delay <= scenario.calmAt else {
        continue
      }
      schedule(.deed(participant.index, number: number), at: now + delay)
    }
  }
}
