import AVFormat
import CMPV
import Concurrency
import FileNames
import Timekeeping

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

extension MPVPlayer {
  /// Opens a file or URL in place of the current item. It returns once mpv has opened it, so that ``snapshot()`` knows
  /// its tracks, title and duration.
  ///
  /// - Parameters:
  ///   - location: a path, or a URL that mpv or yt-dlp understands. The program decides which schemes a peer may name. A
  ///     file opens nothing besides itself, whatever it contains, except subtitles and sound beside it; one that is named
  ///     as a playlist, archive or disc opens files in its folder. An address may lead anywhere.
  ///   - title: the title in the window; nil for the one that mpv finds.
  ///   - start: the exact position at which the item begins.
  ///   - liveStart: for a live stream, the segment to begin with, counted from the end: -1 is the last. The player's
  ///     times are then the stream's own time stamps, and it has no end.
  ///   - paused: true keeps the player paused at `start`; otherwise it plays at normal speed.
  ///   - isForeign: true for a location that another participant named. A playlist behind it may then not name files
  ///     and devices of this machine, nor the locations that mpv builds of them (`edl://`, `lavf://`, `memory://`),
  ///     even if the user's own playlists may (`load-unsafe-playlists`).
  ///   - isTrusted: true for a playlist on this machine whose entries may lead anywhere, because the user agreed to that.
  ///   - proxy: the HTTP proxy through which libavformat and yt-dlp fetch everything that belongs to a foreign film.
  ///   - source: the film's bytes, for a location with the scheme `shared`, which is foreign.
  ///   - angles: up to three other films, which are shown beside it as one picture and follow its time. Only one film's
  ///     sound plays at a time, as an audio track. A film that can't be opened is omitted; mpv's log reports it.
  /// - Throws: ``MPVError`` with the reason, in a text for users.
  package func load(
    _ location: String, titled title: String? = nil, startingAt start: MediaTime = .zero,
    liveStart: Int? = nil,
    paused: Bool = true, isForeign: Bool = false, isTrusted: Bool = false, proxy: String? = nil,
    source: (any MediaSource)? = nil, angles: [String] = []
  ) async throws(MPVError) {
    for location in [location] + angles where LoadDiagnosis.kind(of: location) == .forbidden {
      throw MPVError(.forbiddenLocation, location)
    }
    let reach = try reach(of: location, isForeign: isForeign, isTrusted: isTrusted)
    guard !lifecycle.isShutDown else { throw MPVError(.shutDown, location) }
    supersedeTransport()
    let serial = transportSerial
    var pending = PendingLoad(
      location: location, title: title, identifier: film.identifier, start: start,
      liveStart: liveStart, reach: reach, angles: angles)
    if let replaced = film.requested(pending) {
      replaced.outcome.fulfil(.failure(MPVError(.superseded, replaced.location)))
    }
    state.unloaded()
    known.forget()
    handle.sources.set(source, at: location)

    try await endAngles()
    try await restrict(to: reach, proxy: proxy, serial: serial)
    if reach == .nothing || reach == .folder {
      pending.ownFormat =
        if let own = limits.ownFormat { own } else {
          try await get(MPVProperty.demuxerLavfOptions).value
        }
    }
    pending.tracks = try await trackOptions()
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

  /// Returns the reason why a file can't be loaded, as far as libavformat finds it without a player; nil for none. Files
  /// that open others, such as playlists, aren't judged. It blocks.
  package static func problem(ofFile path: String) -> MPVError? {
    let reach = FilmReach(of: path, isFolder: false, isForeign: false)
    guard reach == .nothing, !MediaInformation.canOpen(path) else { return nil }
    return MPVError(
      LoadDiagnosis.reason(
        location: path, reach: reach, code: MPV_ERROR_UNKNOWN_FORMAT.rawValue, errors: []), path)
  }

  /// Returns the resources that a location may open besides itself.
  ///
  /// - Throws: ``MPVError/Reason/leadsOutside(_:)`` for a playlist that needs more.
  private func reach(
    of location: String, isForeign: Bool, isTrusted: Bool
  ) throws(MPVError) -> FilmReach {
    let path = LoadDiagnosis.path(of: location)
    let status = path.flatMap(FileName.status(of:))
    let isFolder = status.map { $0.st_mode & S_IFMT == S_IFDIR } ?? false
    let reach = FilmReach(of: location, isFolder: isFolder, isForeign: isForeign)
    guard reach == .folder, !isFolder, let path, FileList.isList(path),
      let bytes = LoadDiagnosis.bytes(of: path, limit: FileList.sizeLimit + 1)
    else { return reach }
    guard bytes.count <= FileList.sizeLimit else { throw MPVError(.unsupportedFormat, location) }
    guard let name = FileList(bytes).firstOutside(of: FileList.folder(of: path)) else {
      return reach
    }
    guard isTrusted else { throw MPVError(.leadsOutside(name), location) }
    return .everything
  }

  /// Closes the film. The player remains. It yields no event, because the program already knows.
  package func stop() async throws(MPVError) {
    supersedeTransport()
    film.stopped()
    handle.sources.set(nil, at: "")
    try await command(.string(MPVCommand.stop))
  }

  /// Returns whether a server must have a trusted certificate: `mpv.conf` and the user's options may lift this
  /// requirement.
  package func verifiesServers() async throws(MPVError) -> Bool {
    try await get(MPVProperty.tlsVerify).value.flag ?? false
  }

  /// Returns whether mpv's requests have the user's own header fields or cookies, so that a server may answer them
  /// differently.
  package func hasOwnFields() async throws(MPVError) -> Bool {
    let fields = try await get(MPVProperty.httpHeaderFields).value.array ?? []
    let hasCookies = try await get(MPVProperty.cookies).value.flag ?? false
    let referrer = try await get(MPVProperty.referrer).value.string ?? ""
    return !fields.isEmpty || hasCookies || !referrer.isEmpty
  }

  /// The user's option `start`, before the first film is opened; nil if it isn't set.
  package var configuredStart: String? {
    get async {
      let start = try? await get(MPVProperty.start).value.string
      return start == "none" || start?.isEmpty != false ? nil : start
    }
  }

  /// Returns the file with the certificate authorities that mpv trusts; nil for the system's.
  package func certificateAuthorities() async throws(MPVError) -> String? {
    let file = try await get(MPVProperty.tlsCAFile).value.string
    return file?.isEmpty == false ? file : nil
  }

  func send(_ pending: PendingLoad) {
    film.sent(pending)
    let start = ownTime(at: pending.start)
    var options: [String: MPVValue] = [
      MPVProperty.start: .string(start > .zero ? start.secondsText : "none")
    ].merging(MPVConfiguration.wholeFilm.mapValues { .string($0) }) { $1 }
    options.merge(
      ForeignLimits.fileOptions(
        pending.reach, ownFormat: pending.ownFormat, liveStart: pending.liveStart)
    ) { $1 }
    options.merge(pending.tracks) { $1 }
    if SourceStreams.isSource(pending.location) {
      options.merge(SourceStreams.fileOptions.mapValues { .string($0) }) { $1 }
    }
    if let title = pending.title { options["force-media-title"] = .string(title) }
    if !pending.angles.isEmpty {
      options["external-files"] = .string(AngleGrid.externalFiles(pending.angles))
      // The filter graph needs pictures in memory.
      options["hwdec"] = .string("no")
    }
    let arguments: [String: MPVValue] = [
      "name": .string(MPVCommand.loadfile), "url": .string(LoadDiagnosis.opened(pending.location)),
      "flags": .string("replace"),
      // For this file only. The options are always given, because `mpv.conf` may have other values.
      "options": .map(options),
    ]
    request({ $0.command(.map(arguments), id: $1) }) { player, reply in
      let entryID = reply.value["playlist_entry_id"]?.integer
      guard player.film.answered(pending, entryID: entryID, isRefused: reply.code < 0) else {
        return
      }
      pending.outcome.fulfil(
        .failure(MPVError(.call, "load \(pending.location)", code: reply.code)))
    }
  }

  private func abandonLoad(_ pending: PendingLoad) async {
    guard film.abandoned(pending) else { return }
    _ = try? await command(.string(MPVCommand.stop))
  }

  /// Reads the properties that the snapshot needs right after loading. Later changes are observed.
  private func readItem(startingAt start: MediaTime) async throws(MPVError) {
    // The duration of a file that names none is no more than what mpv has read by the time of the last one.
    for name in [
      MPVProperty.trackList, MPVProperty.containerFPS, MPVProperty.streamEnd, MPVProperty.duration,
      MPVProperty.seekable, MPVProperty.partiallySeekable, MPVProperty.chapterList,
      MPVProperty.mediaTitle, MPVProperty.path, MPVProperty.demuxerViaNetwork,
      MPVProperty.demuxerCacheTime,
    ] {
      let oneShot = OneShot<MPVReply>()
      request({ $0.getProperty(name, id: $1) }) { player, reply in
        // A property that the file doesn't have is unavailable, which is an answer too.
        player.propertyChanged(name, reply.code >= 0 ? reply.value : .none, at: reply.hostTime)
        if name == MPVProperty.demuxerCacheTime { player.state.itemRead() }
        oneShot.fulfil(reply)
      }
      guard await oneShot.value() != nil else { throw MPVError(.superseded, "get \(name)") }
    }
    if film.isEndPostponed {
      let outcome = await wait(
        serial: transportSerial, until: .now() + .seconds(60), for: { !$0.film.isEndPostponed })
      guard outcome == .met else { throw MPVError(.superseded, "load") }
    }
    guard film.request == nil else {
      // The file is being opened again, without a window.
      let outcome = await wait(
        serial: transportSerial, until: .now() + .seconds(60), for: { $0.film.request == nil })
      guard outcome == .met else { throw MPVError(.superseded, "load") }
      return try await readItem(startingAt: start)
    }
    guard film.item.isLoaded else { throw MPVError(.superseded, "load") }
    state.loaded()
    measureDuration()
    var position = start
    if film.item.isLive {
      // The first position of a live stream is known once it shows something.
      _ = await wait(
        serial: transportSerial, until: .now() + .seconds(10), for: { $0.film.item.hasStarted })
      position = await pausedPosition()?.itemTime ?? start
    }
    if known.anchor == nil || film.item.isLive { known.paused(at: position, hostTime: .now()) }
    if let path = state.path { emitter.yield(.loaded(path: path)) }
  }

  // MARK: Several films beside one another

  /// Shows the loaded film together with its angles.
  func showAngles(_ angles: [String]) async throws(MPVError) {
    let tracks = try await get(MPVProperty.trackList).value.array ?? []
    guard let grid = AngleGrid(tracks, angles: angles) else { return }
    pictureOutput.gridShown()
    try await set(MPVProperty.lavfiComplex, .string(grid.graph))
  }

  /// Removes the graph before another film is loaded.
  func endAngles() async throws(MPVError) {
    guard pictureOutput.gridEnded() else { return }
    try await set(MPVProperty.lavfiComplex, .string(""))
    // The graph has set `vid` to none.
    try await set(MPVProperty.vid, .string("auto"))
  }
}
