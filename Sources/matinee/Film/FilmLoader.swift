import AVFormat
import Concurrency
import FilmProxy
import Foundation
import MPVPlayer
import PlaybackCoordination
import Screening
import Timekeeping

/// Loads films into the player: files, streams and live streams. A film that another participant chose reaches its
/// servers through a proxy.
@ScreeningActor
final class FilmLoader {
  /// The parts of the program that a film concerns.
  struct Links {
    /// Asks the user about an origin that a film needs, while it is opened or while it plays.
    var refused: @ScreeningActor (FilmDecisions.Number, OriginRefusal) async -> Void
  }

  private let core: ScreeningCore<OriginRefusal>
  private let player: MPVPlayer
  private let coordinator: DelegatingPlaybackCoordinator
  private let consent: ConsentRoom
  private let events: EventBroadcast<ScreeningEvent>
  private let links: Links
  /// The films that are shown beside another film.
  private let angles: [String]
  /// The identifier of the film with the angles; nil until it is known.
  private var angledFilm: String?
  /// The current film as a live stream; nil for other films.
  private(set) var live: LiveStream?
  private var log = StreamLog()
  /// The accumulated stall time of the current film.
  private var stalls = StallMeter()
  /// The proxy between a film that another participant chose and its servers, and the proxy's judge; nil for other
  /// films.
  private var filmProxy: FilmProxy?
  private var watch: OriginWatch?
  /// The requests about the newest film's stream. The next film cancels them.
  private var probing: StreamProbe?

  /// - Parameters:
  ///   - angles: shown beside the film `angledFilm`.
  ///   - angledFilm: the film's identifier; nil for the first film that is opened.
  init(
    core: ScreeningCore<OriginRefusal>, player: MPVPlayer,
    coordinator: DelegatingPlaybackCoordinator, consent: ConsentRoom,
    events: EventBroadcast<ScreeningEvent>, angles: [String], angledFilm: String?, links: Links
  ) {
    self.core = core
    self.player = player
    self.coordinator = coordinator
    self.consent = consent
    self.events = events
    self.angles = angles
    self.angledFilm = angledFilm
    self.links = links
    consent.policyChanged = { [weak self] in self?.watch?.update($0) }
  }

  private var filmMachine: FilmDecisions { core.machine.filmMachine }

  /// The refusal of the current film's proxy; nil for none.
  var refusal: OriginRefusal? { watch?.refusal }

  /// The address of the proxy, through which another player's requests have to go too; nil without one.
  var proxy: String? { filmProxy?.url }

  // MARK: - Loading

  /// Notes that another film is about to be loaded.
  func begin() {
    stalls = StallMeter()
    probing?.cancel()
    log.begin()
  }

  func failed() { log.failed(at: .now()) }

  /// Ends the requests about the film.
  func cancel() { probing?.cancel() }

  /// Ends all connections of the film.
  func endProxy() {
    filmProxy?.stop()
    (filmProxy, watch) = (nil, nil)
  }

  /// Loads a film.
  ///
  /// - Parameter mine: the number of the opening that this belongs to. A newer opening ends it.
  func load(
    _ film: FilmIdentity, proposing timing: PlaybackTiming?, opening mine: FilmDecisions.Number
  ) async throws {
    // The previous film may continue until this one is loaded.
    let before = filmProxy
    defer { before?.stop() }
    try await beginProxy(for: film, opening: mine)
    let access = await access(to: film)
    guard filmMachine.isCurrent(mine) else { return }
    let location = try await destination(of: film, access)
    guard filmMachine.isCurrent(mine) else { return }
    let probe = StreamProbe()
    probing?.cancel()
    probing = probe
    let stream = await LiveStream.probe(location, access, probe)
    guard filmMachine.isCurrent(mine) else { return }
    live = stream
    // The coordinator learns of the item before it is loaded: from now on a start waits for this player.
    try await coordinator.transitionToItem(
      withIdentifier: film.item,
      proposing: live.map { PlaybackTiming(rate: timing?.rate ?? 0, itemTime: $0.start) } ?? timing,
      interstitials: ranges,
      playerIsReady: false)
    guard filmMachine.isCurrent(mine) else { return }
    await player.setCurrentItemIdentifier(film.item)
    let start = await liveStart()
    guard filmMachine.isCurrent(mine) else { return }
    let list = FilmOrigin(list: location)
    do throws(MPVError) {
      try await player.load(
        location, liveStart: start, isForeign: film.isForeign,
        isTrusted: consent.policy.admits(list, on: .internet), proxy: filmProxy?.url,
        angles: live == nil ? angles(of: film) : [])
    } catch {
      guard case .leadsOutside(let name) = error.reason else { throw error }
      throw LeadsElsewhere(
        refusal: OriginRefusal(origin: list, network: .internet, location: name))
    }
  }

  /// Gives the coordinator the loaded film again.
  func restoreItem(_ film: FilmIdentity) async {
    try? await coordinator.transitionToItem(withIdentifier: film.item, interstitials: ranges)
  }

  /// The parts of the film that aren't its content.
  private var ranges: InterstitialTimeRanges {
    live.map { InterstitialTimeRanges([], origin: $0.origin) } ?? .none
  }

  /// Returns the angles that belong to a film: the film that the user named with them, or else the first one.
  private func angles(of film: FilmIdentity) -> [String] {
    if angledFilm == nil { angledFilm = film.identifier }
    return film.identifier == angledFilm ? angles : []
  }

  /// Returns the segment from which to fetch a live stream, so that the player can go to the group's position.
  private func liveStart() async -> Int? {
    guard let live else { return nil }
    let place = await coordinator.ownItemTime(atHostTime: .now()) ?? live.start
    if !live.reaches(back: place) {
      events.send(
        .warning(
          "The others are at a part of the live stream that the server no longer has. "
            + "Seek forward to watch together."))
    }
    return live.startIndex(for: place)
  }

  // MARK: - The proxy

  /// Starts a proxy for a film that another participant chose. Other films use none.
  ///
  /// - Throws: ``StreamProblem`` if there is no free port.
  private func beginProxy(
    for film: FilmIdentity, opening mine: FilmDecisions.Number
  ) async throws {
    let needsProxy = film.isForeign && film.isStream
    let ownProxy = needsProxy ? await player.ownProxy() : nil
    guard filmMachine.isCurrent(mine) else { return }
    ProxyExceptions.setEffective(!needsProxy)
    (filmProxy, watch) = (nil, nil)
    guard needsProxy else { return }
    let upstream = ownProxy.flatMap { UpstreamProxy($0, exceptions: ProxyExceptions.text) }
    let watch = OriginWatch(consent.policy, isForwarded: upstream != nil) { [weak self] refusal in
      Task { await self?.refused(refusal, opening: mine) }
    }
    do {
      filmProxy = try FilmProxy(upstream: upstream, judge: watch.judge)
    } catch {
      throw StreamProblem(description: "The film can't be loaded: no free port (\(error.code)).")
    }
    self.watch = watch
  }

  private func refused(_ refusal: OriginRefusal, opening mine: FilmDecisions.Number) async {
    guard watch?.refusal == refusal else { return }
    await links.refused(mine, refusal)
  }

  /// Returns the conditions for this program's own requests to a film's servers. They are the player's.
  private func access(to film: FilmIdentity) async -> ServerAccess {
    var access = ServerAccess(proxy: film.isForeign ? filmProxy?.url : nil)
    do {
      access.verifiesServers = try await player.verifiesServers()
      access.authorities = try await player.certificateAuthorities()
    } catch {
      // A player that has shut down needs no requests.
      access.verifiesServers = true
    }
    return access
  }

  /// Returns the address to which a film that another participant named redirects. Only the film's proxy judges the
  /// servers on the way: one that the user hasn't agreed to gets no request.
  ///
  /// - Throws: ``LeadsElsewhere``, ``StreamProblem``.
  private func destination(of film: FilmIdentity, _ access: ServerAccess) async throws -> String {
    guard let watch else { return film.location }
    let policy = consent.policy
    @Sendable func problem(of location: String) -> String? {
      if case .refuse(let reason) = policy.verdict(on: location) { reason } else { nil }
    }
    let (location, answer) = await Self.follow(film.location, access) { problem(of: $0) == nil }
    if var refusal = watch.begin() {
      // The proxy sees only the server of an encrypted request.
      refusal.location = location
      throw LeadsElsewhere(refusal: refusal)
    }
    guard case .status(_, let target?, _)? = answer else { return location }
    throw StreamProblem(
      description: problem(of: target).map {
        "A server redirected the film to a forbidden address: \($0)"
      } ?? "The party's address for this film redirects without end.")
  }

  /// Follows an address's redirects, so that the player and the user learn of the last server at once.
  ///
  /// - Parameter mayFollow: decides about the target of a redirect.
  /// - Returns: the last address that was asked, and the answer there.
  private nonisolated static func follow(
    _ location: String, _ access: ServerAccess, while mayFollow: @Sendable (String) -> Bool
  ) async -> (location: String, answer: HTTPProbe.Answer?) {
    await follow(location, while: mayFollow) { location in
      await OwnedThread.run("stream", atMost: .seconds(12)) { HTTPProbe.ask(location, access) }
        ?? .silent
    }
  }

  /// - Parameter ask: asks the server at an address.
  nonisolated static func follow(
    _ location: String, while mayFollow: @Sendable (String) -> Bool,
    ask: @Sendable (String) async -> HTTPProbe.Answer?
  ) async -> (location: String, answer: HTTPProbe.Answer?) {
    var location = location
    var answer = await ask(location)
    for _ in 0..<redirectLimit {
      guard case .status(_, let target?, _)? = answer, mayFollow(target) else { break }
      location = target
      answer = await ask(location)
    }
    return (location, answer)
  }

  /// The maximum number of redirects. FFmpeg follows eight, browsers somewhat more.
  private nonisolated static let redirectLimit = 8

  // MARK: - Failures and slowness

  /// Returns the text for the user about a film that couldn't be opened.
  func explanation(of error: any Error, _ film: FilmIdentity) async -> String {
    guard let host = URLPolicy.host(of: film.location), film.isStream,
      let error = error as? MPVError,
      error.isAboutServer
    else { return "\(error)" }
    let access = await access(to: film)
    let end = HostTime.now() + .seconds(15)
    let (last, answer) = await Self.follow(film.location, access) {
      ["http", "https"].contains(FilmIdentity.scheme(of: $0)) && .now() < end
    }
    // mpv delivers its log after the event that the film has failed: it came while the server was asked.
    return StreamDiagnosis(host: URLPolicy.host(of: last) ?? host, answer: answer, log: log.lines)
      .text
  }

  /// Keeps an error of mpv's while a stream is being opened. It may explain the failure.
  func keep(log text: String) {
    guard !filmMachine.isRecovering else { return }
    log.keep(
      text, isOpening: filmMachine.isOpening && filmMachine.film?.isStream == true, at: .now())
  }

  /// Reports a server that sends too little, once per film. It is called at regular intervals.
  func watchSlowness() async {
    guard let film = filmMachine.film, film.isStream, !filmMachine.isOpening,
      !filmMachine.isRecovering, let host = URLPolicy.host(of: film.location)
    else { return }
    let snapshot = await coordinator.snapshot()
    let state = await player.snapshot()
    guard filmMachine.film == film else { return }
    let isWithoutData = state.isStalled || snapshot.suspensionReasons.contains(.stallRecovery)
    let isWaiting: Bool
    let effect: String
    switch snapshot.status {
    case .noItem, .paused: return
    case .playing where core.machine.membership.isMember && !snapshot.otherParticipants.isEmpty:
      isWaiting = isWithoutData
      effect = "The others continue, and you rejoin them when enough has loaded."
    case .playing:
      isWaiting = isWithoutData
      effect =
        "Playback continues when enough has loaded. Pause for a while, or open a smaller version."
    case .waiting:
      isWaiting = isWithoutData || state.isSeeking
      effect = "The film waits for you, and continues when enough has loaded."
    }
    guard stalls.note(isWaiting: isWaiting, at: .now()) else { return }
    events.send(.warning("\(host) is too slow for this film. " + effect))
  }
}

/// A film of the party that leads to an origin that the user hasn't agreed to, or a playlist of the user's that leads out
/// of its folder.
struct LeadsElsewhere: Error, Hashable { var refusal: OriginRefusal }

/// The reason why a film isn't opened.
struct StreamProblem: Error, Hashable, CustomStringConvertible { var description: String }

extension MPVError {
  /// A Boolean value that indicates whether a server's answer may explain the error further.
  fileprivate var isAboutServer: Bool {
    switch reason {
    case .unreachable, .refusedByServer, .unsupportedFormat, .nothingToPlay, .loadingFailed: true
    case .unavailable, .unknownOption, .badOptionValue, .missingFile, .permissionDenied,
      .forbiddenLocation, .notAFilm, .leadsOutside, .superseded, .shutDown, .call:
      false
    }
  }
}
