import Concurrency
import Timekeeping

/// A request to open a film.
struct PendingLoad: Sendable {
  let location: String
  /// The film's title; nil for the one that mpv finds.
  let title: String?
  /// The identifier of the coordinator's item at the request.
  let identifier: String?
  let start: MediaTime
  let liveStart: Int?
  let reach: FilmReach
  /// Other films that are shown beside this one.
  let angles: [String]
  /// The user's own options of libavformat.
  var ownFormat = MPVValue.none
  /// The options for the film's tracks.
  var tracks: [String: MPVValue] = [:]
  let outcome = OneShot<Result<Void, MPVError>>()
}

/// The known state of the file in the player.
struct FilmState: Sendable {
  private(set) var entryID: Int64?
  /// A Boolean value that indicates whether the file came through
  /// ``MPVPlayer/load(_:titled:startingAt:liveStart:paused:isForeign:proxy:angles:)``.
  private(set) var isOwn = false
  /// The request for the file, to repeat it without a window.
  private(set) var request: PendingLoad?
  /// The time by which exact seeks begin to read before their targets.
  private(set) var seekOffset = Duration.zero
  /// A Boolean value that indicates whether mpv has opened the file.
  private(set) var isLoaded = false
  /// A Boolean value that indicates whether the first frame has appeared.
  private(set) var hasStarted = false
  /// A Boolean value that indicates whether mpv fetches no more for now, because it has enough.
  private(set) var isCacheFull = false
  private var isLost = false
  /// The files in memory that mpv may read again as long as the film is open.
  private var files: [MemoryFile] = []
  /// The messages about the file's data in mpv's log.
  private(set) var complaints = FilmEnd.Complaints()
  /// The end that a seek or playback found before the promised one, until a seek elsewhere.
  private(set) var foundEnd: FilmEnd.Found?
  /// The end of the buffered data in the last event.
  private var reportedBuffer: MediaTime?

  /// The limit of the seeks' offset, and of the additional seeks in a container without an index.
  private static let longestOffset = Duration.seconds(20)

  init() {}

  init(entryID: Int64, request: PendingLoad?) {
    self.entryID = entryID
    self.request = request
    isOwn = request != nil
  }

  var isLive: Bool { request?.liveStart != nil }

  mutating func loaded() { isLoaded = true }

  mutating func uses(_ file: MemoryFile) { files.append(file) }

  /// The program closes the film.
  mutating func stopped() {
    isOwn = false
    isLoaded = false
  }

  mutating func abandoned() { isOwn = false }

  mutating func started() { hasStarted = true }

  mutating func cacheFull(_ isFull: Bool) { isCacheFull = isFull }

  mutating func logged(_ line: String) { complaints.logged(line) }

  /// A seek begins. It tries again what couldn't be read before, unless it only leads to the found end.
  mutating func seekBegan(to target: MediaTime) {
    if let foundEnd, (target - foundEnd.position).magnitude > .seconds(2) { self.foundEnd = nil }
  }

  mutating func ended(_ end: FilmEnd.Found) { foundEnd = end }

  /// Returns whether the loss of the server is news.
  mutating func lost() -> Bool {
    defer { isLost = true }
    return !isLost
  }

  /// Returns whether the end of the fetched data is to be reported, in steps of half a second.
  mutating func buffered(until end: MediaTime?) -> Bool {
    guard let end else {
      reportedBuffer = nil
      return false
    }
    if let reportedBuffer, (end - reportedBuffer).magnitude < .milliseconds(500) { return false }
    complaints.dataArrived()
    reportedBuffer = end
    return true
  }

  /// An exact seek in a container without an index has ended.
  ///
  /// - Returns: the time by which the next seek has to begin earlier, if this one ended after its target. It stays for
  ///   the rest of the file. A longer way is a gap in the time stamps, across which no seek should begin: the picture
  ///   and the sound would come from different sides of it.
  mutating func seekLanded(
    at position: MediaTime?, target: MediaTime, frameDuration: Duration?
  ) -> Duration? {
    guard let position, seekOffset < Self.longestOffset else { return nil }
    let late = position - target
    guard late > max((frameDuration ?? .zero) * 1.5, .milliseconds(60)), late <= Self.longestOffset
    else { return nil }
    seekOffset = min(seekOffset + late + .seconds(1), Self.longestOffset)
    return seekOffset
  }
}
