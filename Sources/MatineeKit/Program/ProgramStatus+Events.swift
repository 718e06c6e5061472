import GroupActivities
import PlaybackCoordination
import Screening
import Timekeeping
import WatchTogether

/// The state, as events and the answer to the command `state` contain it.
extension ProgramStatus {
  package var screeningState: ScreeningState {
    let snapshot = coordinator
    var state = ScreeningState()
    state.film.item = snapshot.currentItemIdentifier.map(FilmIdentifier.film(ofItem:))
    state.film.title = film?.title
    switch snapshot.status {
    case .noItem: state.playback.status = .empty
    case .paused: state.playback.status = .paused
    case .playing: state.playback.status = .playing
    case .waiting(let ids, _):
      state.playback.status = .waiting
      state.playback.waitingFor = ids.sorted().map(name(of:))
    }
    state.playback.paused = state.playback.status != .playing
    state.playback.rate = snapshot.rate
    state.playback.position = snapshot.itemTime?.seconds.rounded(to: 6)
    state.playback.groupPosition = snapshot.groupItemTime?.seconds.rounded(to: 6)
    state.player.playerPosition = player.itemTime?.seconds.rounded(to: 6)
    state.player.playerPaused = player.isPaused
    state.film.duration = player.duration?.seconds.rounded(to: 3)
    state.playback.suspensions = snapshot.suspensionReasons.map(\.rawValue)
    state.player.syncErrorMs = sync?.error.printedMilliseconds
    state.player.syncUncertaintyMs = sync?.uncertainty.printedMilliseconds
    state.player.nudge = player.nudge.rounded(to: 6)
    state.player.latencyOffsetMs = latencyOffset.duration.printedMilliseconds
    state.clock.groupTime = groupTime.map { (Double($0.nanoseconds) / 1e9).rounded(to: 6) }
    state.clock.offsetMs = clock?.offset.printedMilliseconds
    state.clock.uncertaintyMs = clock?.uncertainty.printedMilliseconds
    state.clock.wallClocks = clock?.wallClocks
    state.clock.roundTripMs = clock?.roundTrip.printedMilliseconds
    state.clock.clockDriftPpm = clock.map { ($0.drift * 1e6).rounded(to: 2) }
    state.company.roster = roster
    state.company.closedBy = partyEnding?.closer
    state.company.party = invite?.party
    state.film.playlist = ScreeningEvent.ListedFilm.all(of: activity?.playlist)
    state.playback.mayControl = rights.mayControl
    state.company.connected = link.isUp
    state.company.rejected = rejected
    return state
  }

  /// The participants with their states.
  var roster: [ScreeningEvent.RosterEntry] {
    participants.map { participant in
      let other = coordinator.otherParticipants.first { $0.id == participant.id }
      let isMe = participant.id == me?.id
      let item = isMe ? coordinator.currentItemIdentifier : other?.currentItemIdentifier
      let error = isMe ? sync?.error : other?.syncError
      let uncertainty = isMe ? sync?.uncertainty : other?.syncUncertainty
      var entry = ScreeningEvent.RosterEntry(participant, isMe: isMe)
      entry.ready = isReady(participant.id)
      entry.suspensions = (isMe ? coordinator.suspensionReasons : other?.suspensionReasons ?? [])
        .map(\.rawValue)
      entry.item = item.map(FilmIdentifier.film(ofItem:))
      entry.syncErrorMs = error?.printedMilliseconds
      entry.syncUncertaintyMs = uncertainty?.printedMilliseconds
      entry.loadedPercent = isMe ? player.loadedPercent : other?.loadedPercent
      entry.arrivedPercent = arrivedPercent(of: participant.id)
      entry.otherCopy = hasOtherCopy(participant.id)
      entry.door = participant.door.map { .init($0, name: presentName) }
      entry.door?.uploadMbps = uploadMbps(to: participant.id)
      return entry
    }
  }
}
