import DrawTogether
import GroupActivities
import PlaybackCoordination
import WatchTogether

/// The events of the party.
extension ScreeningMachine {
  mutating func handle(_ change: PartyChange) throws -> [Effect] {
    switch change {
    case .enters(let entrance): return try enter(entrance)
    case .entered(let entered): return self.entered(entered)
    case .leaves(let closing): return leave(closing: closing)
    case .hosted(let isEmpty, let remembered): return hosted(isEmpty: isEmpty, remembered)
    case .reported(let event, let precedes): return handle(event, precedes: precedes)
    case .left(let closing, let isEligible):
      membership.left()
      sharing.left()
      return films(.leftParty) + Self.eligibilityChanged(to: isEligible)
        + [Self.waiting(by: nil), .report(.left(closing: closing))]
    case .sessionBegan(let start): return sessionBegan(start)
    case .listChanged(let list, let id): return listChanged(to: list, by: id)
    case .readyCheck(let participant):
      // The question of a participant who may not control playback is ignored.
      guard party?.rules.mayControl(participant.id) == true else { return [] }
      return holdUntilReady()
        + [.report(.readyCheck(by: participant.name)), .party(.requestForeground)]
    case .countdown(let seconds, let participant):
      guard party?.rules.mayControl(participant.id) == true,
        (1...ReadyCheck.longestCountdown).contains(seconds)
      else { return [] }
      return [.report(.countdown(seconds))]
    case .reacted(let participant, let reaction):
      return reacted(reaction, by: .init(participant))
    case .said(let me, let text): return said(text, by: me)
    case .earlierChatWanted(let participant):
      let answer = membership.chat.answer(to: participant.id, at: now)
      return answer.map { [.party(.sendEarlierChat($0, to: participant.id))] } ?? []
    case .earlierChat(let lines, let participant):
      let earlier = membership.chat.answered(lines, by: participant.id, at: now)
      return earlier.isEmpty ? [] : [.report(.earlierChat(earlier, from: .init(participant)))]
    case .ruleChanged(let rule): return changed(rule)
    case .relays(let offers):
      // A party that is being left needs no other relay.
      guard membership.isMember else { return [] }
      return follow(
        standby.relaysChanged(
          to: offers, among: party?.participants.count ?? 1, at: now, using: &random))
    case .relayMoved(let relay): return follow(standby.moved(to: relay))
    case .served(let relay):
      // The party may have been left while the relay started, which ends the relay.
      return membership.isMember ? follow(standby.served(relay, at: now)) : []
    case .clients(let count): return follow(standby.clients(count))
    case .bridgeFailed(let server):
      standby.bridgeFailed(to: server)
      return []
    case .roomListed(let name, let by): return roomListed(name, by: by)
    case .roomOperators(let ids):
      membership.roomOperatorsChanged(to: Set(ids))
      return appointRoomOperators()
    case .roomInvited(let invite, let by): return roomInvited(to: invite, by: by)
    }
  }

  private mutating func handle(_ event: PartyEvent, precedes: Bool) -> [Effect] {
    switch event {
    case .joined(let me):
      return [.report(.joined(.init(me), isHost: me.isHost)), .reportToParticipants]
    case .participantJoined(let participant):
      // Remembered first: reporting takes time, in which the user may leave.
      return [
        .party(.meet(participant)),
        .report(.participantJoined(.init(participant), wasHere: precedes)), .reportToParticipants,
      ] + appointRoomOperators()
    case .participantLeft(let participant, let announced):
      membership.chat.left(participant.id)
      return [
        .report(.participantLeft(.init(participant), announced: announced)), .reportToParticipants,
      ]
    case .renamed(let participant, let old):
      return [
        .party(.meet(participant)), .report(.renamed(.init(participant), from: old)),
        .reportToParticipants,
      ]
    case .chat(let participant, let text): return said(text, by: participant)
    case .connected(let server):
      membership.linkChanged(isUp: true)
      standby.linkChanged(to: server, at: now)
      return [.report(.connected(server))]
    case .disconnected(let reason):
      membership.linkChanged(isUp: false)
      standby.linkChanged(to: nil, at: now)
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
        names[$0] ?? "a participant"
      }
      return [
        .party(.rememberRules), Self.waiting(by: rules), .report(.rules(change)),
        .reportToParticipants,
      ]
    case .closed(let end): return closed(end)
    case .notice(let notice):
      // The others ignore the actions of a participant who may not control playback.
      guard party?.rules.mayControl(notice.originator.id) == true else { return [] }
      return [.report(.action(.init(notice), by: .init(notice.originator)))]
    case .foregroundRequested: return [.report(.attention)]
    case .sessionEnded(FilmActivity.activityIdentifier, let by):
      // The next session may have begun already.
      if party?.session == .over { sessionOver() }
      return [.report(.sessionEnded(by: name(of: by)))]
    case .sessionEnded(DrawTogether.activityIdentifier, _): return draw(.over)
    case .activityChanged, .sessionEnded: return []
    }
  }

  private mutating func said(_ text: String, by participant: Participant) -> [Effect] {
    let author = ScreeningEvent.Person(participant)
    membership.chat.said(text, by: author, at: now)
    let isKept = membership.evening.said(text, by: author, at: place)
    return [.report(.chat(author, text))] + (isKept ? rememberRemark() : [])
  }

  private mutating func reacted(
    _ reaction: Reaction, by author: ScreeningEvent.Person
  ) -> [Effect] {
    let count = membership.evening.remarks.count
    let moment = membership.evening.reacted(reaction, by: author, at: place)
    let isKept = membership.evening.remarks.count > count
    let news = moment.map {
      [.report(.moment(.init($0))), .library(.rememberMoment($0))] as [Effect]
    }
    return [.report(.reaction(author, reaction))] + (isKept ? rememberRemark() : []) + (news ?? [])
  }

  /// Remembers the last remark, with the film.
  private func rememberRemark() -> [Effect] {
    guard let remark = membership.evening.remarks.last, remark.place != nil else { return [] }
    return [.library(.rememberRemark(remark))]
  }

  /// The place in the film that the party sees now.
  private var place: Evening.Place? {
    guard filmMachine.isShown, let film = filmMachine.film,
      let itemTime = group.groupItemTime ?? player.itemTime
    else { return nil }
    return Evening.Place(film: film.identifier, title: film.title, itemTime: itemTime)
  }

  /// The moments in the film on the screen, for its end.
  var reportedMoments: [Effect] {
    let moments = membership.evening.moments.filter {
      $0.place.film == filmMachine.film?.identifier
    }
    return moments.isEmpty ? [] : [.report(.listed(.moments(moments.map { .init($0) })))]
  }

  private func changed(_ rule: UserCommand.Rule) -> [Effect] {
    guard rule == .close, let party else { return [] }
    let excluded = party.participants.count { !party.rules.admits($0.id) }
    guard excluded > 0 else { return [] }
    let text = "The party is full; the \(excluded) newest had to leave."
    return [.report(.warning(text))]
  }

  /// This program is in a party from now on, or in none.
  static func eligibilityChanged(to isEligible: Bool) -> [Effect] {
    // Alone, the sound needs no resampler. A loop would move only this player.
    [.player(.expectNudges(isEligible))] + (isEligible ? [.player(.endLoops)] : [])
  }

  private mutating func closed(_ end: PartyEnd) -> [Effect] {
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

  private mutating func closed(by host: Participant.ID?) -> [Effect] {
    let name = name(of: host)
    return [.report(.partyClosed(by: name))] + leave(after: .closed(by: name))
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
  static var waitingLimit: Int { 16 }

  /// The effect for the party's rules.
  ///
  /// - Parameter rules: the party's rules; nil outside a party.
  static func waiting(by rules: PartyRules?) -> Effect {
    .waitFor(waitedFor(rules), upTo: waitingLimit)
  }

  /// The reasons for which a start waits for a participant who is apart.
  ///
  /// - Parameter rules: the party's rules; nil outside a party.
  static func waitedFor(
    _ rules: PartyRules?
  ) -> Set<CoordinatedPlaybackSuspension.Reason> {
    switch rules?.waiting ?? .everyone {
    case .everyone: [.readyCheck, .playingInterstitial]
    case .nobody: []
    }
  }
}
