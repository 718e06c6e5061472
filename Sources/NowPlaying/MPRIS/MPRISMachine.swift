import Timekeeping

/// Decides the signals on the bus and the answers to calls. Does no I/O and reads no clock.
struct MPRISMachine: Sendable {
  /// An action for the shell to carry out.
  enum Action: Hashable, Sendable {
    /// Own a bus name, from now on.
    case appear
    case disappear
    case signal(BusSignal)
  }

  /// The current publication; nil before there was anything to play, and after the end.
  private(set) var publication: Publication?
  /// The properties in the last signals, by interface.
  private var signaled: [String: [String: BusValue]] = [:]
  private var signaledQueue: [NowPlayingItem] = []
  /// The position that readers assume: they extrapolate from the last signal.
  private var readersView: (position: MediaTime, at: HostTime, isRunning: Bool, rate: Double)?

  /// The deviation of a moving position that isn't worth a signal, because players' measurements aren't exact.
  static let tolerance = Duration.milliseconds(250)
  /// The deviation of a position that isn't moving. Such positions are exact, and one frame is a jump.
  static let pausedTolerance = Duration.milliseconds(5)
  /// The time after a pause in which the position may still change: a player may report the frame at which it is paused
  /// later, and a group's players go to the frame of the participant who paused.
  static let settlingTime = Duration.milliseconds(500)
  private var pausedSince: HostTime?

  /// Publishes a new state.
  ///
  /// - Parameter next: the state; nil to publish nothing any more.
  mutating func publish(_ next: Publication?, at now: HostTime) -> [Action] {
    guard let next else {
      guard publication != nil else { return [] }
      self = MPRISMachine()
      return [.disappear]
    }
    guard let before = publication else {
      // Without content there is no name to own.
      guard next.state != nil else { return [] }
      publication = next
      remember(next, at: now)
      readersView = view(of: next, at: now)
      // An instant long enough ago: readers don't know when playback stopped.
      pausedSince = next.state?.status == .playing ? nil : now - Self.settlingTime - .seconds(1)
      return [.appear]
    }
    publication = next
    let changes = changedProperties(next, at: now)
    return changes + seeked(from: before, to: next, at: now) + trackListChanges(next)
  }

  /// Returns the time at which the publication changes without an event: an advertisement begins or ends.
  func nextChange(after now: HostTime) -> HostTime? { publication?.state?.adBoundary(after: now) }

  // MARK: - Properties

  private mutating func remember(_ publication: Publication, at now: HostTime) {
    for interface in MPRISInterface.ours {
      signaled[interface.name] = publication.properties(of: interface.name, at: now)
    }
    signaledQueue = publication.queue
  }

  private mutating func changedProperties(_ next: Publication, at now: HostTime) -> [Action] {
    var actions: [Action] = []
    for interface in MPRISInterface.ours {
      let new = next.properties(of: interface.name, at: now) ?? [:]
      let old = signaled[interface.name] ?? [:]
      signaled[interface.name] = new
      var changed: [String: BusValue] = [:]
      var invalidated: [String] = []
      for property in interface.properties where new[property.name] != old[property.name] {
        switch (property.notice, new[property.name]) {
        case (.value, let value?): changed[property.name] = value
        // The property is gone: a reader who asks gets an error.
        case (.value, nil), (.invalidation, _): invalidated.append(property.name)
        case (.none, _): break
        }
      }
      guard !changed.isEmpty || !invalidated.isEmpty else { continue }
      actions.append(
        .signal(
          BusSignal(
            path: MPRISInterface.path, interface: MPRISInterface.properties.name,
            member: "PropertiesChanged",
            arguments: [
              .string(interface.name), .dictionary(changed), .strings(invalidated),
            ])))
    }
    return actions
  }

  // MARK: - Position

  private func view(
    of publication: Publication, at now: HostTime
  ) -> (position: MediaTime, at: HostTime, isRunning: Bool, rate: Double) {
    (
      publication.position(at: now), now, publication.status == "Playing",
      publication.state?.rate ?? 1
    )
  }

  /// Returns a `Seeked` signal if status and rate don't explain the position.
  private mutating func seeked(
    from before: Publication, to next: Publication, at now: HostTime
  ) -> [Action] {
    let position = next.position(at: now)
    let isNewTrack = before.currentTrack != next.currentTrack
    guard next.state != nil else {
      readersView = view(of: next, at: now)
      return []
    }
    let isMoving = next.state?.status == .playing && next.state?.isInAd(at: now) == false
    if isMoving {
      pausedSince = nil
    } else if pausedSince == nil {
      pausedSince = now
    }
    let isJump: Bool
    if isNewTrack {
      // Readers begin a new track at zero.
      isJump = position - .zero > Self.tolerance
    } else {
      let isSettled = pausedSince.map { now - $0 > Self.settlingTime } ?? false
      let tolerance = isSettled ? Self.pausedTolerance : Self.tolerance
      let hasJumped = (position - before.position(at: now)).magnitude > tolerance
      // While playback waited, or an advertisement ran, readers extrapolated the position.
      let isOff =
        readersView.map { view in
          guard isMoving, view.isRunning else { return false }
          let expected =
            view.position + Duration(clampingSeconds: (now - view.at).inSeconds * view.rate)
          return (position - expected).magnitude > Self.tolerance
        } ?? false
      isJump = hasJumped || isOff
    }
    let statusChanged = before.status != next.status || before.state?.rate != next.state?.rate
    if isJump || isNewTrack || statusChanged { readersView = view(of: next, at: now) }
    guard isJump else { return [] }
    return [
      .signal(
        BusSignal(
          path: MPRISInterface.path, interface: MPRISInterface.player.name, member: "Seeked",
          arguments: [.int64(position.microseconds)]))
    ]
  }

  // MARK: - The queue

  private mutating func trackListChanges(_ next: Publication) -> [Action] {
    let (old, new) = (signaledQueue, next.queue)
    guard old != new else { return [] }
    signaledQueue = new
    let tracks = next.tracks
    func signal(_ member: String, _ arguments: BusValue...) -> Action {
      .signal(
        BusSignal(
          path: MPRISInterface.path, interface: MPRISInterface.trackList.name, member: member,
          arguments: arguments))
    }
    let (oldIDs, newIDs) = (old.map(\.id), new.map(\.id))
    if oldIDs == newIDs {
      return zip(old, new).filter { $0 != $1 }.map { _, item in
        signal(
          "TrackMetadataChanged", .objectPath(tracks.path(of: item.id)),
          .dictionary(next.metadata(of: item)))
      }
    }
    let difference = newIDs.difference(from: oldIDs)
    if difference.count == 1 {
      switch difference.first {
      case .remove(_, let id, _)?:
        return [signal("TrackRemoved", .objectPath(tracks.path(of: id)))]
      case .insert(let index, _, _)?:
        let after = index == 0 ? TrackPath.none : tracks.path(of: newIDs[index - 1])
        return [
          signal("TrackAdded", .dictionary(next.metadata(of: new[index])), .objectPath(after))
        ]
      case nil: return []
      }
    }
    let current = newIDs.contains { tracks.path(of: $0) == next.currentTrack }
    return [
      signal(
        "TrackListReplaced", .paths(newIDs.map(tracks.path)),
        .objectPath(current ? next.currentTrack : TrackPath.none))
    ]
  }
}
