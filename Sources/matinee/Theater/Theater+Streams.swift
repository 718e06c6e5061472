import AVFormat
import Concurrency
import Foundation
import GroupActivities
import MPVPlayer
import Screening
import Timekeeping

/// A film of the party that leads to an origin that the user hasn't agreed to.
struct LeadsElsewhere: Error, Hashable { var refusal: OriginRefusal }

/// The reason why a film isn't opened.
struct StreamProblem: Error, Hashable, CustomStringConvertible { var description: String }

/// The servers of streams: redirects, failures and slowness.
extension Theater {
  /// The maximum number of lines of mpv's log that are kept for one stream.
  private static let logLimit = 20
  /// The time after a failure for which lines are still kept. mpv delivers its log late, and yt-dlp may report its
  /// error late.
  private static let logTime = Duration.seconds(2)

  /// Returns the address to which a film that another participant named redirects. Hosts that the user hasn't agreed to
  /// get no request.
  ///
  /// - Throws: ``LeadsElsewhere``, ``StreamProblem``.
  func destination(of film: FilmIdentity, _ access: ServerAccess) async throws -> String {
    guard film.isForeign, film.isStream else { return film.location }
    var walk = RedirectWalk(film.location)
    var step = walk.begin(policy)
    while true {
      switch step {
      case .look(let location):
        let answer = await OwnedThread.run("stream", atMost: .seconds(12)) {
          HTTPProbe.ask(location, access)
        }
        // The filter refused the origin: its name may now lead into another network.
        if let refusal = originWatch?.refusal { throw LeadsElsewhere(refusal: refusal) }
        step = walk.take(answer ?? nil, policy)
      case .open(let location): return location
      case .ask(let origin, let location):
        throw LeadsElsewhere(refusal: OriginRefusal(origin: origin, location: location))
      case .refuse(let reason): throw StreamProblem(description: reason)
      }
    }
  }

  /// Returns the text for the user about a film that couldn't be opened.
  func explanation(of error: any Error, _ film: FilmIdentity) async -> String {
    guard let host = URLPolicy.host(of: film.location), film.isStream,
      let error = error as? MPVError,
      error.isAboutServer
    else { return "\(error)" }
    let access = await access(to: film)
    let log = streamLog
    let location = film.location
    let (last, answer) =
      await OwnedThread.run("stream", atMost: .seconds(15)) { Self.lastAnswer(location, access) }
      ?? (location, .silent)
    return StreamDiagnosis(host: URLPolicy.host(of: last) ?? host, answer: answer, log: log).text
  }

  /// Follows an address's redirects up to the last answer, without a question to the user. For another participant's
  /// film the filter limits the requests.
  private nonisolated static func lastAnswer(
    _ location: String, _ access: ServerAccess
  ) -> (location: String, HTTPProbe.Answer?) {
    var location = location
    for _ in 0..<8 {
      let answer = HTTPProbe.ask(location, access)
      guard case .status(_, let next?, _)? = answer,
        ["http", "https"].contains(FilmIdentity.scheme(of: next))
      else { return (location, answer) }
      location = next
    }
    return (location, .status(302, location: location, type: nil))
  }

  /// Keeps mpv's errors while a stream is being opened. They explain its failure.
  func keep(log text: String) {
    guard (isOpening && film?.isStream == true) || .now() < streamLogUntil else { return }
    streamLog.append(text)
    if streamLog.count > Self.logLimit { streamLog.removeFirst() }
  }

  func beginStreamLog() {
    streamLog = []
    streamLogUntil = .now()
  }

  func endStreamLog() { streamLogUntil = .now() + Self.logTime }

  /// Reports a server that sends too little, once per film. It is called at regular intervals.
  func watchSlowness() async {
    guard let film, film.isStream, !isOpening, !programme.isRecovering,
      let host = URLPolicy.host(of: film.location)
    else { return }
    let snapshot = await coordinator.snapshot()
    guard case .playing = snapshot.status else { return }
    let isStalled = await player.snapshot().isStalled
    guard self.film == film else { return }
    let isWaiting = isStalled || snapshot.suspensionReasons.contains(.stallRecovery)
    guard stallMeter.note(isWaiting: isWaiting, at: .now()) else { return }
    emit(
      .warning(
        "\(host) is too slow for this film. "
          + (party == nil
            ? "Playback continues when enough has loaded. Pause for a while, or open a smaller version."
            : "The others continue, and you rejoin them when enough has loaded.")))
  }
}

extension MPVError {
  /// A Boolean value that indicates whether a server's answer may explain the error further.
  var isAboutServer: Bool {
    switch reason {
    case .unreachable, .refusedByServer, .unsupportedFormat, .nothingToPlay, .loadingFailed: true
    case .unavailable, .unknownOption, .badOptionValue, .missingFile, .permissionDenied,
      .forbiddenLocation, .superseded, .shutDown, .call:
      false
    }
  }
}
