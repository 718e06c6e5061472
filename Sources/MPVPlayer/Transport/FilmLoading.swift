import Concurrency
import Timekeeping

/// The film in the player, and the request for the next one.
struct FilmLoading: Sendable {
  /// A file that mpv has begun to open.
  enum Start: Hashable, Sendable {
    /// The requested one.
    case own
    /// The remains of a request or of a peer's playlist, or the next entry of mpv's own list after a file that ended
    /// by itself; `mustStop` unless a request follows.
    case unwanted(mustStop: Bool)
    /// The user's own choice.
    case foreign
  }

  /// The consequence of the end of a file.
  enum Ending: Sendable {
    /// Other entries took the file's place.
    case redirected
    /// mpv closed the file for want of a window: request it again. Its callers continue to wait.
    case openAgain(PendingLoad)
    /// The file is gone. `isCurrent`: it was the one in the player.
    case closed(Loss, isCurrent: Bool)
  }

  enum Loss: Sendable {
    /// No report.
    case silent
    /// The request failed.
    case request(PendingLoad)
    /// Playback was interrupted.
    case playback
    /// The user may have closed the film.
    case stop
  }

  /// The identifier that commands must expect.
  private(set) var identifier: String?
  private(set) var item = FilmState()
  /// The request that mpv has not carried out.
  private(set) var request: PendingLoad?
  /// mpv's number of the request's entry; nil until mpv has answered.
  private var entryID: Int64?
  private var unwanted = UnwantedEntries()
  /// A Boolean value that indicates whether the last file ended by itself, so that mpv's list moved on alone.
  private var hasRunOut = false
  /// The newest errors in mpv's log, at most 16.
  private(set) var errors: [String] = []
  /// The end of a file until its reason is known.
  private var postponed: (end: MPVEvent.EndOfFile, reason: OneShot<Void>)?

  /// The tracks with which films are opened.
  private(set) var tracks = TrackOptions(audio: [], subtitles: [], areSubtitlesOff: false)

  mutating func prefers(_ tracks: TrackOptions) { self.tracks = tracks }

  /// Keeps a file that the current film uses.
  mutating func uses(_ file: MemoryFile) { item.uses(file) }

  mutating func identified(_ identifier: String?) { self.identifier = identifier }

  // MARK: Requests

  /// The program asks for another film.
  ///
  /// - Returns: the request that is replaced by this one, if any.
  mutating func requested(_ new: PendingLoad) -> PendingLoad? {
    defer { request = new }
    discardEntry()
    errors = []
    item = FilmState()
    return request
  }

  /// The request goes to mpv, for the first time or again.
  mutating func sent(_ request: PendingLoad) {
    discardEntry()
    self.request = request
  }

  /// mpv answered a request. The answer arrives before the file starts, so the number is known by then.
  ///
  /// - Returns: whether the request failed; false if another one has replaced it, since then nothing waits for it.
  mutating func answered(_ request: PendingLoad, entryID: Int64?, isRefused: Bool) -> Bool {
    guard isCurrent(request) else {
      if let entryID { unwanted.add(entryID) }
      return false
    }
    self.entryID = entryID
    if isRefused { endRequest() }
    return isRefused
  }

  /// The caller of a request has been cancelled.
  ///
  /// - Returns: false if another request has replaced it.
  mutating func abandoned(_ request: PendingLoad) -> Bool {
    guard isCurrent(request) else { return false }
    discardEntry()
    self.request = nil
    item.abandoned()
    return true
  }

  /// The player is gone.
  ///
  /// - Returns: the request that can't be carried out any more.
  mutating func shutDown() -> PendingLoad? {
    defer { endRequest() }
    return request
  }

  /// There is no film any more.
  mutating func closed() { item = FilmState() }

  private func isCurrent(_ other: PendingLoad) -> Bool { request?.outcome === other.outcome }

  private mutating func discardEntry() {
    if let entryID { unwanted.add(entryID) }
    entryID = nil
  }

  private mutating func endRequest() {
    request = nil
    entryID = nil
  }

  // MARK: Files

  /// Returns whether an entry of mpv's list is one that the user didn't choose.
  func isUnwanted(_ entryID: Int64) -> Bool { unwanted.contains(entryID) }

  mutating func fileStarted(_ entryID: Int64) -> Start {
    defer { hasRunOut = false }
    let isOwn = request != nil && self.entryID == entryID
    item = FilmState(entryID: entryID, request: isOwn ? request : nil)
    if isOwn { return .own }
    let isChosen = !hasRunOut && !unwanted.contains(entryID)
    return isChosen ? .foreign : .unwanted(mustStop: request == nil)
  }

  /// mpv has opened the file.
  ///
  /// - Returns: the request that has been carried out by this; nil for another file.
  mutating func fileLoaded() -> PendingLoad? {
    item.loaded()
    guard item.isOwn, let request, let entryID, entryID == item.entryID else { return nil }
    endRequest()
    return request
  }

  /// The program closes the film.
  mutating func stopped() { item.stopped() }

  /// Returns whether a file that ended is the requested one, or came from a request.
  func isOurs(_ end: MPVEvent.EndOfFile) -> Bool {
    isRequested(end) || item.request != nil && item.entryID == end.entryID
  }

  /// A file has ended.
  ///
  /// - Parameter lacksWindow: whether the reason may be a window that couldn't be opened.
  mutating func ended(_ end: MPVEvent.EndOfFile, lacksWindow: Bool) -> Ending {
    hasRunOut = end.reason == .error || end.reason == .eof
    if end.reason == .redirect {
      // A playlist, or a page that yt-dlp resolved: its first entry is the wanted film.
      if isRequested(end) {
        entryID = end.insertedEntryID
        if request?.reach == .foreign { unwanted.addAllButFirst(of: end) }
      } else {
        unwanted.redirected(end)
      }
      return .redirected
    }
    if lacksWindow, let again = request ?? item.request {
      item = FilmState()
      return .openAgain(again)
    }
    let loss = loss(end)
    let isCurrent = item.entryID == end.entryID
    if isCurrent { item = FilmState() }
    return .closed(loss, isCurrent: isCurrent)
  }

  private mutating func loss(_ end: MPVEvent.EndOfFile) -> Loss {
    if let request, isRequested(end) {
      endRequest()
      return .request(request)
    }
    // An abandoned file, for which no caller waits, may have been opened before it was stopped.
    guard item.entryID == end.entryID, item.isLoaded, !unwanted.contains(end.entryID) else {
      return .silent
    }
    switch end.reason {
    case .error: return .playback
    // A load of this program is about to replace it, or the user stopped it.
    case .stop, .eof, .other: return request == nil ? .stop : .silent
    case .quit, .redirect: return .silent
    }
  }

  private func isRequested(_ end: MPVEvent.EndOfFile) -> Bool {
    request != nil && entryID == end.entryID
  }

  /// mpv has nothing to play: the next file is somebody's choice.
  mutating func idle() { hasRunOut = false }

  // MARK: Ends without a known reason

  /// Waits with an end until its reason is in mpv's log. mpv delivers its log only when it has no events left, so the
  /// line with the reason for the end arrives after the end.
  ///
  /// - Returns: fulfilled when the reason is known.
  mutating func postponed(_ end: MPVEvent.EndOfFile) -> OneShot<Void> {
    let reason = OneShot<Void>()
    postponed = (end, reason)
    return reason
  }

  var isEndPostponed: Bool { postponed != nil }

  /// The reason for the end is known, if one waits for it.
  func reasonFound() { postponed?.reason.fulfil(()) }

  /// Returns the end that was postponed, once.
  mutating func takePostponedEnd() -> MPVEvent.EndOfFile? {
    defer { postponed = nil }
    return postponed?.end
  }

  // MARK: Errors

  /// mpv logged a warning or an error.
  mutating func logged(_ line: String, isError: Bool) {
    item.logged(line)
    guard isError else { return }
    errors.append(line)
    if errors.count > 16 { errors.removeFirst() }
  }

  /// Returns the error with which a file ended, as a text for users.
  ///
  /// - Parameter reach: what the location might open; nil for a film that the user loaded in mpv.
  func error(of location: String, reach: FilmReach?, _ end: MPVEvent.EndOfFile) -> MPVError {
    switch end.reason {
    case .error:
      MPVError(
        LoadDiagnosis.reason(
          location: location, reach: reach, code: end.code, errors: errors), location,
        code: end.code)
    case .eof: MPVError(.nothingToPlay, location)
    case .quit: MPVError(.shutDown, location)
    case .stop, .redirect, .other: MPVError(.superseded, location)
    }
  }

  // MARK: The file's state

  mutating func started() { item.started() }

  mutating func cacheFull(_ isFull: Bool) { item.cacheFull(isFull) }

  mutating func lost() -> Bool { item.lost() }

  mutating func seekBegan(to target: MediaTime) { item.seekBegan(to: target) }

  mutating func ended(_ end: FilmEnd.Found) { item.ended(end) }

  mutating func buffered(until end: MediaTime?) -> Bool { item.buffered(until: end) }

  mutating func seekLanded(
    at position: MediaTime?, target: MediaTime, frameDuration: Duration?
  ) -> Duration? {
    item.seekLanded(at: position, target: target, frameDuration: frameDuration)
  }
}
