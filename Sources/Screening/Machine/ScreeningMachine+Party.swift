import GroupActivities
import PlaybackCoordination

/// The events of the party.
extension ScreeningMachine {
  /// An event of the party that concerns the program, beside those of sessions.
  ///
  /// - Parameters:
  ///   - party: what the party reports; nil if this participant isn't in it any more.
  ///   - precedes: true if a participant who joined was in the party before this one.
  package mutating func handle(
    _ event: PartyEvent, in party: ScreeningReading.Party?, precedes: Bool = false
  ) -> [Directive] {
    if let party { membership.participantsChanged(to: party.participants) }
    switch event {
    case .joined(let me):
      return [.report(.joined(.init(me), isHost: me.isHost)), .reportToParticipants]
    case .participantJoined(let participant):
      // Remembered first: reporting takes time, in which the user may leave.
      return [
        .party(.meet(participant)),
        .report(.participantJoined(.init(participant), wasHere: precedes)), .reportToParticipants,
      ]
    case .participantLeft(let participant, let announced):
      return [
        .report(.participantLeft(.init(participant), announced: announced)), .reportToParticipants,
      ]
    case .renamed(let participant, let old):
      return [
        .party(.meet(participant)), .report(.renamed(.init(participant), from: old)),
        .reportToParticipants,
      ]
    case .chat(let participant, let text): return [.report(.chat(.init(participant), text))]
    case .connected(let server):
      membership.linkChanged(isUp: true)
      return [.report(.connected(server))]
    case .disconnected(let reason):
      membership.linkChanged(isUp: false)
      return [.report(.disconnected(reason))]
    case .eventsMissing(let id, let count):
      return [.report(.warning("\(count) messages from \(name(of: id)) were lost"))]
    case .skippedMessage(let type, let version, let sender):
      return [
        .report(
          .warning(
            "Skipped a message from \(sender.name) that this version of Matinee can't read (\(type) \(version))"
          ))
      ]
    case .misbehaved(let participant, let offence):
      return [.report(.warning(Self.accusation(of: participant, offence)))]
    case .warning(let text): return [.report(.warning(text))]
    case .rulesChanged(let rules, let old, let by):
      let names = Dictionary(membership.known.map { ($0.id, $0.name) }) { first, _ in first }
      let change = ScreeningEvent.RulesChange(rules, from: old, by: name(of: by)) {
        names[$0] ?? "somebody"
      }
      return [
        .party(.rememberRules), Self.waiting(by: rules), .report(.rules(change)),
        .reportToParticipants,
      ]
    case .closed(let end): return closed(end, in: party)
    case .notice(let notice):
      // The others ignore the actions of a participant who may not control playback.
      guard party?.rules.mayControl(notice.originator.id) == true else { return [] }
      return [.report(.action(.init(notice), by: .init(notice.originator)))]
    case .foregroundRequested: return [.report(.attention)]
    case .activityChanged, .sessionEnded: return []
    }
  }

  /// This process is in a party from now on, or in none (`GroupStateObserver`).
  package func eligibilityChanged(to isEligible: Bool) -> [Directive] {
    // Alone, the sound needs no resampler. A loop would move only this player.
    [.player(.expectNudges(isEligible))] + (isEligible ? [.player(.endLoops)] : [])
  }

  private func closed(_ end: PartyEnd, in party: ScreeningReading.Party?) -> [Directive] {
    switch end {
    case .left, .transport(nil): return []
    case .transport(let error?):
      return [.report(.failed("The party ended: \(error)"))] + leave(after: .failed("\(error)"))
    case .removed(let by):
      let name = name(of: by)
      return [
        .report(.failed("\(name) removed you from the party")),
        .party(.rememberEnding("you were removed")),
      ] + leave(after: .removed(by: name))
    // The newest roster may no longer contain the host.
    case .hostLeft: return closed(by: party?.rules.host)
    case .closed(let host): return closed(by: host)
    }
  }

  private func closed(by host: Participant.ID?) -> [Directive] {
    let name = name(of: host)
    return [.report(.partyClosed(by: name))] + leave(after: .closed(by: name))
  }

  private func leave(after ending: PartyEnding) -> [Directive] {
    [.party(.leaveEnded(ending)), .report(.changed)]
  }

  private static func accusation(of participant: Participant, _ offence: Misbehavior) -> String {
    let doing =
      switch offence {
      case .malformed: "sent invalid data (modified client?)"
      case .flood: "sent too much at once"
      case .unauthorized: "tried something only hosts may do"
      }
    return "\(participant.name) \(doing). It was ignored; a host can remove \(participant.name)."
  }

  /// The number of participants above which a start doesn't wait for trailers and ready checks: in a crowd
  /// there is always one, and each start would take its full minute.
  package static var waitingLimit: Int { 16 }

  /// The directive for the party's rules.
  ///
  /// - Parameter rules: the party's rules; nil outside a party.
  package static func waiting(by rules: PartyRules?) -> Directive {
    .waitFor(waitedFor(rules), upTo: waitingLimit)
  }

  /// The reasons for which a start waits for a participant who is apart.
  ///
  /// - Parameter rules: the party's rules; nil outside a party.
  package static func waitedFor(
    _ rules: PartyRules?
  ) -> Set<CoordinatedPlaybackSuspension.Reason> {
    switch rules?.waiting ?? .everyone {
    case .everyone: [.readyCheck, .playingInterstitial]
    case .nobody: []
    }
  }
}
