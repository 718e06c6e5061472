import AVFormat
import Foundation
import GroupActivities
import MPVPlayer
import Timekeeping

/// A film that the party named and that leads on to an origin that the user hasn't agreed to.
struct LeadsElsewhere: Error, Hashable { var refusal: OriginRefusal }

/// A film that isn't opened, and why.
struct StreamProblem: Error, Hashable, CustomStringConvertible { var description: String }

/// What servers do.
extension Theater {
  /// What mpv's log may say of one stream.
  private static let logLimit = 20
  /// mpv hands its log out late, and yt-dlp takes its time to say what has been said by then.
  private static let logTime = Duration.seconds(2)

  /// Where a film really is, that somebody else named: nothing is asked of hosts that the user hasn't agreed to.
  ///
  /// - Throws: ``LeadsElsewhere``, ``StreamProblem``.
  func destination(of film: FilmIdentity, _ access: ServerAccess) async throws -> String {
    guard film.isForeign, film.isStream else { return film.location }
    var walk = RedirectWalk(film.location)
    var step = walk.begin(policy)
    while true {
      switch step {
      case .look(let location):
        let answer = await OwnThread.run(atMost: .seconds(12)) { HTTPProbe.ask(location, access) }
        // Its name leads somewhere else now.
        if let refusal = originWatch?.refusal { throw LeadsElsewhere(refusal: refusal) }
        step = walk.take(answer ?? nil, policy)
      case .open(let location): return location
      case .ask(let origin, let location):
        throw LeadsElsewhere(refusal: OriginRefusal(origin: origin, location: location))
      case .refuse(let reason): throw StreamProblem(description: reason)
      }
    }
  }

  /// Shows nothing, and asks the user whether the film may be loaded from there.
  func ask(about refusal: OriginRefusal, for activity: FilmActivity) async {
    await showNothing()
    let network: HostNetwork =
      if let known = refusal.network { known } else {
        await HostNetwork.find(refusal.origin.host)
      }
    // Something newer may have been chosen meanwhile.
    guard adopted == activity, film == nil else { return }
    guard questionLimit.mayAsk(about: activity.identifier) else {
      emit(.failed(QuestionLimit.text))
      return await cannotFollow()
    }
    let question = AddressQuestion(
      origin: refusal.origin, network: network,
      location: PartyText.clean(refusal.location, limit: 300))
    undecided = (activity, question)
    await separate(.undecided, for: .userActionRequired)
    emit(.mayOpen(question))
  }

  /// What to tell of a film that couldn't be opened.
  func explanation(of error: any Error, _ film: FilmIdentity) async -> String {
    guard let host = URLPolicy.host(of: film.location), film.isStream,
      let error = error as? MPVError,
      error.isAboutServer
    else { return "\(error)" }
    let access = await access(to: film)
    let log = streamLog
    let location = film.location
    let (last, answer) =
      await OwnThread.run(atMost: .seconds(15)) { Self.lastAnswer(location, access) }
      ?? (location, .silent)
    return StreamDiagnosis(host: URLPolicy.host(of: last) ?? host, answer: answer, log: log).text
  }

  /// Follows an address for its owner, who knows where it leads or not.
  private static func lastAnswer(
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

  /// Keeps mpv's errors while a stream is being opened: its failure is explained from them.
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

  /// Called all the time: tells of a server that sends too little, once per film.
  func watchSlowness() async {
    guard let film, film.isStream, !isOpening, reopening == nil,
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
  /// Whether a server's answer may tell more.
  var isAboutServer: Bool {
    switch reason {
    case .unreachable, .refusedByServer, .unsupportedFormat, .nothingToPlay, .loadingFailed: true
    case .unavailable, .unknownOption, .badOptionValue, .missingFile, .permissionDenied,
      .forbiddenLocation, .superseded, .shutDown, .call:
      false
    }
  }
}
