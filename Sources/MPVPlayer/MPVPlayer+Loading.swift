import CMPV
import Concurrency
import Timekeeping

extension MPVPlayer {
  /// Opens a file or URL in place of the current item. It returns once mpv has opened it, so that ``snapshot()`` knows
  /// its tracks, title and duration.
  ///
  /// - Parameters:
  ///   - location: a path, or a URL that mpv or yt-dlp understands. The program decides which schemes a peer may name.
  ///   - start: the exact position at which the item begins.
  ///   - liveStart: for a live stream, the segment to begin with, counted from the end: -1 is the last. The player's
  ///     times are then the stream's own time stamps, and it has no end.
  ///   - paused: true keeps the player paused at `start`; otherwise it plays at normal speed.
  ///   - isForeign: true for a location that another participant named. A playlist behind it may then not name files
  ///     and devices of this machine, nor the locations that mpv builds of them (`edl://`, `lavf://`, `memory://`),
  ///     even if the user's own playlists may (`load-unsafe-playlists`).
  ///   - proxy: the HTTP proxy through which libavformat and yt-dlp fetch everything that belongs to a foreign film.
  ///   - angles: up to three other films, which are shown beside it as one picture and follow its time. Only one film's
  ///     sound plays at a time, as an audio track. A film that can't be opened is omitted; mpv's log reports it.
  /// - Throws: ``MPVError`` with the reason, in a text for users.
  public func load(
    _ location: String, startingAt start: MediaTime = .zero, liveStart: Int? = nil,
    paused: Bool = true, isForeign: Bool = false, proxy: String? = nil, angles: [String] = []
  ) async throws(MPVError) {
    for location in [location] + angles where LoadDiagnosis.kind(of: location) == .forbidden {
      throw MPVError(.forbiddenLocation, location)
    }
    guard !isShutDown else { throw MPVError(.shutDown, location) }
    supersedeTransport()
    let serial = transportSerial
    load?.outcome.fulfil(.failure(MPVError(.superseded, load?.location ?? "")))
    if let superseded = load?.entryID { unwanted.add(superseded) }
    let pending = PendingLoad(
      location: location, identifier: currentItemIdentifier, start: start, liveStart: liveStart,
      isForeign: isForeign, angles: angles, outcome: OneShot())
    load = pending
    recentErrors = []
    item = ItemState()
    state.isLoaded = false
    anchor = nil

    try await endAngles()
    try await restrict(isForeign: isForeign, proxy: proxy, serial: serial)
    if expectsNudges { try await installTempoFilter() }
    try await writePause(true)
    try await resetSpeed()
    guard transportSerial == serial else { throw MPVError(.superseded, location) }
    send(pending)
    guard let result = await pending.outcome.value() else {
      await abandonLoad(pending)
      throw MPVError(.superseded, location)
    }
    try result.get()
    if !angles.isEmpty { try await showAngles(angles) }
    try await readItem(startingAt: start)
    guard transportSerial == serial else { throw MPVError(.superseded, location) }
    if !paused { try await writePause(false) }
  }

  /// Closes the film. The player remains. It yields no event, because the program already knows.
  public func stop() async throws(MPVError) {
    supersedeTransport()
    item.isOwn = false
    item.isLoaded = false
    try await command(.string(MPVCommand.stop))
  }

  /// Returns whether a server must have a trusted certificate: `mpv.conf` and the user's options may lift this
  /// requirement.
  public func verifiesServers() async throws(MPVError) -> Bool {
    try await get(MPVProperty.tlsVerify).value.flag ?? false
  }

  /// Returns the file with the certificate authorities that mpv trusts; nil for the system's.
  public func certificateAuthorities() async throws(MPVError) -> String? {
    let file = try await get(MPVProperty.tlsCAFile).value.string
    return file?.isEmpty == false ? file : nil
  }

  private func send(_ pending: PendingLoad) {
    if let superseded = load?.entryID { unwanted.add(superseded) }
    load = pending
    load?.entryID = nil
    let start = pending.start
    var options: [String: MPVValue] = [
      "start": .string(start > .zero ? start.secondsText : "none")
    ]
    var format: [String] = []
    if let liveStart = pending.liveStart {
      options["rebase-start-time"] = .string("no")
      format.append("live_start_index=\(liveStart)")
    }
    if pending.isForeign {
      format += Self.foreignFormats.map { "\($0)=%\($1.utf8.count)%\($1)" }.sorted()
    }
    if !format.isEmpty { options["demuxer-lavf-o"] = .string(format.joined(separator: ",")) }
    if !pending.angles.isEmpty {
      options["external-files"] = .string(Self.externalFiles(pending.angles))
      // The filter graph needs pictures in memory.
      options["hwdec"] = .string("no")
    }
    let arguments: [String: MPVValue] = [
      "name": .string(MPVCommand.loadfile), "url": .string(pending.location),
      "flags": .string("replace"),
      // For this file only. The options are always given, because `mpv.conf` may have other values.
      "options": .map(options),
    ]
    request({ $0.command(.map(arguments), id: $1) }) { player, reply in
      // The answer arrives before the file starts, so the number is known by then.
      let entryID = reply.value["playlist_entry_id"]?.integer
      guard player.load?.outcome === pending.outcome else {
        if let entryID { player.unwanted.add(entryID) }
        return
      }
      player.load?.entryID = entryID
      guard reply.code < 0 else { return }
      player.load = nil
      pending.outcome.fulfil(
        .failure(MPVError(.call, "load \(pending.location)", code: reply.code)))
    }
  }

  private func abandonLoad(_ pending: PendingLoad) async {
    guard load?.outcome === pending.outcome else { return }
    if let entryID = load?.entryID { unwanted.add(entryID) }
    load = nil
    item.isOwn = false
    _ = try? await command(.string(MPVCommand.stop))
  }

  func fileStarted(_ entryID: Int64) {
    attribution.fileStarted()
    speedChanges.forget()
    primed = nil
    latencies.frameLeadBias = LearnedLatencies.noFrameLeadBias
    anchor = nil
    let isOwn = load?.entryID == entryID
    item = ItemState(entryID: entryID, isOwn: isOwn, request: isOwn ? load : nil)
    state.isLoaded = false
    state.isAtEnd = false
    guard !isOwn else { return }
    supersedeTransport()
    guard !unwanted.contains(entryID) else {
      if load == nil { request({ $0.command(.string(MPVCommand.stop), id: $1) }) { _, _ in } }
      return
    }
    request({ $0.getProperty(MPVProperty.path, id: $1) }) { player, reply in
      guard let path = reply.value.string else { return }
      player.emitter.yield(.userLoaded(path: path))
    }
  }

  func fileLoaded() {
    item.isLoaded = true
    guard item.isOwn, let load, load.entryID == item.entryID else { return }
    self.load = nil
    state.isLoaded = true
    load.outcome.fulfil(.success(()))
  }

  /// The time to wait for mpv's log after the end of a file. mpv delivers its log only when it has no events left, so
  /// the line with the reason for the end arrives after the end.
  private static let logDelay = Duration.milliseconds(150)

  /// Returns whether a window that couldn't be opened may be the reason for the end of this file.
  private func mayLackWindow(_ end: MPVEvent.EndOfFile) -> Bool {
    let isOurs =
      load?.entryID == end.entryID || (item.request != nil && item.entryID == end.entryID)
    return isOurs && (end.reason == .error || end.reason == .eof)
      && !hasOpenedWithoutWindow && configuration.mayOpenWindow
  }

  func fileEnded(_ end: MPVEvent.EndOfFile) {
    guard mayLackWindow(end), !hasNoWindow else { return judge(end) }
    let read = OneShot<Void>()
    postponed = (end, read)
    deadlines.run(at: .now() + Self.logDelay) { read.fulfil(()) }
    // The deadline or the line ends the wait.
    Task { [weak self] in
      _ = await read.value()
      await self?.judgePostponed()
    }
  }

  private func judgePostponed() {
    guard let (end, _) = postponed else { return }
    postponed = nil
    judge(end)
    wakeWaiters()
  }

  private func judge(_ end: MPVEvent.EndOfFile) {
    if end.reason == .redirect {
      // A playlist, or a page that yt-dlp resolved: its first entry is the wanted film.
      if let load, load.entryID == end.entryID {
        self.load?.entryID = end.insertedEntryID
        if load.isForeign { unwanted.addAllButFirst(of: end) }
      } else {
        unwanted.redirected(end)
      }
      return
    }
    attribution.fileEnded()
    if mayLackWindow(end), hasNoWindow, let request = load ?? item.request {
      // Without its window mpv closes the whole file. The callers that wait for it continue to wait.
      hasOpenedWithoutWindow = true
      item = ItemState()
      send(request)
      return
    }
    if let load, load.entryID == end.entryID {
      self.load = nil
      load.outcome.fulfil(.failure(failure(of: load.location, end)))
    } else if item.entryID == end.entryID, item.isLoaded {
      switch end.reason {
      case .error:
        emitter.yield(.failed(failure(of: state.path ?? "", end)))
      case .stop, .eof, .other:
        // A load of this program is about to replace it, or the user stopped it.
        if load == nil { reportStop() }
      case .quit, .redirect: break
      }
    }
    guard item.entryID == end.entryID else { return }
    item = ItemState()
    state.isLoaded = false
    anchor = nil
    unloadWaiters()
  }

  /// Reports that the user closed the film, unless mpv goes on with another one, which is reported instead.
  private func reportStop() {
    request({ $0.getProperty(MPVProperty.idleActive, id: $1) }) { player, reply in
      guard reply.value.flag == true, player.load == nil else { return }
      player.emitter.yield(.userStopped)
    }
  }

  private func failure(of location: String, _ end: MPVEvent.EndOfFile) -> MPVError {
    switch end.reason {
    case .error:
      MPVError(
        LoadDiagnosis.reason(location: location, code: end.code, errors: recentErrors), location,
        code: end.code)
    case .eof: MPVError(.nothingToPlay, location)
    case .quit: MPVError(.shutDown, location)
    case .stop, .redirect, .other: MPVError(.superseded, location)
    }
  }

  /// Reads the properties that the snapshot needs right after loading. Later changes are observed.
  private func readItem(startingAt start: MediaTime) async throws(MPVError) {
    for name in [
      MPVProperty.trackList, MPVProperty.containerFPS, MPVProperty.duration, MPVProperty.seekable,
      MPVProperty.partiallySeekable, MPVProperty.chapterList, MPVProperty.mediaTitle,
      MPVProperty.path,
      MPVProperty.demuxerViaNetwork,
    ] {
      let oneShot = OneShot<Reply>()
      request({ $0.getProperty(name, id: $1) }) { player, reply in
        // A property that the file doesn't have is unavailable, which is an answer too.
        player.propertyChanged(name, reply.code >= 0 ? reply.value : .none, at: reply.hostTime)
        oneShot.fulfil(reply)
      }
      guard await oneShot.value() != nil else { throw MPVError(.superseded, "get \(name)") }
    }
    if postponed != nil {
      let outcome = await wait(
        serial: transportSerial, until: .now() + .seconds(60), for: { $0.postponed == nil })
      guard outcome == .met else { throw MPVError(.superseded, "load") }
    }
    guard load == nil else {
      // The file is being opened again, without a window.
      let outcome = await wait(
        serial: transportSerial, until: .now() + .seconds(60), for: { $0.load == nil })
      guard outcome == .met else { throw MPVError(.superseded, "load") }
      return try await readItem(startingAt: start)
    }
    guard item.isLoaded else { throw MPVError(.superseded, "load") }
    state.isLoaded = true
    var place = start
    if item.isLive {
      // The first position of a live stream is known once it shows something.
      _ = await wait(
        serial: transportSerial, until: .now() + .seconds(10), for: { $0.item.hasStarted })
      place = await standingPosition()?.itemTime ?? start
    }
    if anchor == nil || item.isLive { stand(at: place, hostTime: .now()) }
    if let path = state.path { emitter.yield(.loaded(path: path)) }
  }

  /// Loads one tempo filter, `scaletempo`, and keeps it loaded.
  ///
  /// By default mpv inserts `scaletempo2` when the speed leaves 1 and removes it when the speed returns to 1. Measured
  /// with a sine through `ao=pcm` and with `audio-pts`: each insertion and removal clicks (a step of up to half the
  /// amplitude) and moves the sound by 3 to 10 ms, more than most nudges correct. `scaletempo2` kept loaded moves
  /// nothing, but still clicks, and starts 10 ms off at the beginning of a file. `scaletempo` does neither: no step at
  /// any change, unaltered samples at speed 1, and a start that is exact to 0.1 ms. It costs half a per cent of a core,
  /// a fifth of the cost of playback. A user who watches alone therefore has no filter until the speed changes.
  func installTempoFilter() async throws(MPVError) {
    guard !isTempoFilterInstalled else { return }
    isTempoFilterInstalled = true
    guard try await get("audio-pitch-correction").value.flag == true else { return }
    let filters = try await get(MPVProperty.af).value.array ?? []
    let names = filters.compactMap { $0["name"]?.string }
    // The user's own tempo filter serves as well.
    guard names.allSatisfy({ !["scaletempo", "scaletempo2", "rubberband"].contains($0) }) else {
      return
    }
    try await command(
      .string(MPVCommand.af), .string("append"), .string("@matinee-tempo:scaletempo"))
  }
}

extension MediaTime {
  /// The time in seconds in the form for mpv's options, independent of any locale.
  var secondsText: String {
    let (whole, rest) = nanoseconds.magnitude.quotientAndRemainder(dividingBy: 1_000_000_000)
    let digits = String(rest)
    let fraction = String(repeating: "0", count: 9 - digits.count) + digits
    return "\(nanoseconds < 0 ? "-" : "")\(whole).\(fraction)"
  }
}
