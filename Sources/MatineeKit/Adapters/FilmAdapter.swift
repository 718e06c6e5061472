import AVFormat
import Concurrency
import FilmProxy
import Foundation
import MPVPlayer
import PlaybackCoordination
import Screening
import Timekeeping

/// Performs the effects on films: finds out what they are, and opens them in the player. A film that another participant
/// chose reaches its servers through a proxy.
@ScreeningActor
final class FilmAdapter {
  private typealias Number = FilmOrder.Number

  private let runner: LoopRunner
  private let player: MPVPlayer
  private let coordinator: DelegatingPlaybackCoordinator
  private let events: EventBroadcast<ScreeningEvent>
  private let shared: SharedFilms
  /// The films that are shown beside another film.
  private let angles: [String]
  /// The identifier of the film with the angles; nil until it is known.
  private var angledFilm: String?
  /// The current film as a live stream; nil for other films.
  private var live: LiveStream?
  private var log = StreamLog()
  /// A Boolean value that indicates whether mpv's errors may explain why a stream can't be opened.
  private var isOpeningStream = false
  private(set) var policy = URLPolicy()
  /// The newest order to open a film, or to empty the player.
  private var opening: Task<EffectAnswer, Never>?
  /// The task that empties the player, and that no later order ends.
  private var emptying: Task<Void, Never>?
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
    runner: LoopRunner, player: MPVPlayer, coordinator: DelegatingPlaybackCoordinator,
    events: EventBroadcast<ScreeningEvent>, shared: SharedFilms, angles: [String],
    angledFilm: String?
  ) {
    self.runner = runner
    self.player = player
    self.coordinator = coordinator
    self.events = events
    self.shared = shared
    self.angles = angles
    self.angledFilm = angledFilm
  }

  func close() {
    opening?.cancel()
    probing?.cancel()
    endProxy()
  }

  /// The address of the proxy, through which another player's requests have to go too; nil without one.
  var proxy: String? { filmProxy?.url }

  func perform(_ order: FilmOrder) async throws -> EffectAnswer {
    switch order {
    case .identify(let location, let purpose, let isEntry):
      return try await identify(location, purpose, isEntry: isEntry)
    case .tryOut(let film, let number):
      try await tryOut(film)
      return EffectAnswer([.film(.canPlay(number))])
    case .compare(let film, let entry, let purpose):
      let length = await OwnedThread.run("film") { MediaInformation.read(film.location)?.duration }
      let comparison = CopyComparison(
        film: film, partys: entry, length: length.map { .zero + $0 },
        partysLength: await coordinator.end(ofItem: entry.item))
      return EffectAnswer([.film(.compared(comparison, purpose))])
    case .load(let number, let film, let timing):
      log.begin()
      return await begin { await $0.open(film, number, proposing: timing) }
    case .reopen(let number, let film):
      return await begin { await $0.reopen(film, number) }
    case .close: return await begin { await $0.empty() }
    case .retime(let timeline): await player.setTimeline(timeline)
    case .restoreItem(let film):
      try? await coordinator.transitionToItem(
        withIdentifier: film.item, interstitials: ranges, isOtherCopy: film.isOtherCopy)
    case .findNetwork(let refusal, let number):
      let network = await HostNetwork.find(refusal.origin.host)
      return EffectAnswer([.film(.networkFound(network, of: refusal, number))])
    case .findArrivalNetwork(let origin, let start):
      let network = await HostNetwork.find(origin.host)
      return EffectAnswer([.film(.arrivalNetworkFound(network, of: origin, start))])
    case .use(let policy):
      self.policy = policy
      watch?.update(policy)
    }
    return .done
  }

  private func identify(
    _ location: String, _ purpose: FilmPurpose, isEntry: Bool
  ) async throws -> EffectAnswer {
    if !isEntry,
      let films = await OwnedThread.run("film", { FilmIdentity.films(listedIn: location) })
    {
      return EffectAnswer([.film(.listed(films, purpose))])
    }
    if purpose == .enqueue, !isEntry,
      let films = try await OwnedThread.run(
        "film",
        { Result { () throws(UserCommandProblem) in try FilmIdentity.films(inFolder: location) } }
      ).get()
    {
      return EffectAnswer([.film(.listed(films, purpose))])
    }
    return EffectAnswer([.film(.identified(try await FilmIdentity.read(location), purpose))])
  }

  // MARK: - Before a film is opened

  /// Finds out whether a film that the user named can be opened, without the player, which may show another film.
  ///
  /// - Throws: the reason why it can't, as a text for the user. Addresses that only the player can judge pass: pages,
  ///   other protocols than HTTP, and requests with header fields of the user's.
  private func tryOut(_ film: FilmIdentity) async throws {
    guard film.isStream else {
      let location = film.location
      if let problem = await OwnedThread.run("film", { MPVPlayer.problem(ofFile: location) }) {
        throw problem
      }
      return
    }
    guard let host = URLPolicy.host(of: film.location), await player.ownProxy() == nil,
      try await !player.hasOwnFields()
    else { return }
    let access = await access(to: film)
    let (location, answer) = await follow(film, access, while: Self.isWeb)
    let diagnosis = StreamDiagnosis(host: URLPolicy.host(of: location) ?? host, answer: answer)
    let name = URL(string: location)?.lastPathComponent ?? ""
    guard !diagnosis.isFinal(mayBePage: !name.contains(".") && Self.hasPageReader) else {
      throw StreamProblem(description: diagnosis.text)
    }
    // mpv reads lists that libavformat doesn't know.
    guard diagnosis.hasData, !FileList.isList(name) else { return }
    let isUnknown = await OwnedThread.run("stream") {
      StreamReader.isUnknown(location, access, StreamProbe())
    }
    if isUnknown { throw StreamProblem(description: diagnosis.text) }
  }

  nonisolated static func isWeb(_ location: String) -> Bool {
    ["http", "https"].contains(FilmIdentity.scheme(of: location))
  }

  /// A Boolean value that indicates whether a shell would find yt-dlp.
  private static var hasPageReader: Bool {
    (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").contains {
      FileManager.default.isExecutableFile(atPath: "\($0)/yt-dlp")
    }
  }

  /// Begins to open a film, or to empty the player, instead of what the player does now.
  private func begin(
    _ body: @escaping @ScreeningActor (FilmAdapter) async -> EffectAnswer
  ) async -> EffectAnswer {
    opening?.cancel()
    probing?.cancel()
    let task = Task {
      // Not for the film before it, which may never open.
      await emptying?.value
      return await body(self)
    }
    opening = task
    return await task.value
  }

  // MARK: - Loading

  private func open(
    _ film: FilmIdentity, _ number: Number, proposing timing: PlaybackTiming?
  ) async -> EffectAnswer {
    isOpeningStream = film.isStream
    defer { if !Task.isCancelled { isOpeningStream = false } }
    let answer: FilmMachine<OriginRefusal>.Event
    do {
      try await load(film, proposing: timing, opening: number)
      answer = .loaded(number)
    } catch let elsewhere as LeadsElsewhere {
      answer = .refused(number, elsewhere.refusal)
    } catch let problem as StreamProblem {
      answer = .cannotLoad(number, problem.description)
    } catch {
      guard !Task.isCancelled else { return .done }
      let text = await explanation(of: error, film)
      guard !Task.isCancelled else { return .done }
      if film.isStream { log.failed(at: .now()) }
      answer = watch?.refusal.map { .refused(number, $0) } ?? .failed(number, text)
    }
    return Task.isCancelled ? .done : loaded(answer)
  }

  private func reopen(_ film: FilmIdentity, _ number: Number) async -> EffectAnswer {
    do {
      try await load(film, proposing: nil, opening: number)
    } catch {
      return EffectAnswer([.film(.answer(.reopeningFailed(number)))])
    }
    return loaded(.reopened(number))
  }

  private func loaded(_ answer: FilmMachine<OriginRefusal>.Event) -> EffectAnswer {
    EffectAnswer([.fact(.live(live != nil)), .film(.answer(answer))])
  }

  private func empty() async -> EffectAnswer {
    let task = Task {
      await player.setCurrentItemIdentifier(nil)
      try? await player.stop()  // A player that has shut down shows nothing either.
      endProxy()
    }
    emptying = task
    await task.value
    return .done
  }

  /// Ends all connections of the film.
  private func endProxy() {
    filmProxy?.stop()
    (filmProxy, watch) = (nil, nil)
  }

  /// Loads a film.
  ///
  /// - Parameter mine: the number of the opening that this belongs to. A newer opening ends it.
  private func load(
    _ film: FilmIdentity, proposing timing: PlaybackTiming?, opening mine: Number
  ) async throws {
    // The previous film may continue until this one is loaded.
    let before = filmProxy
    defer { before?.stop() }
    try await beginProxy(for: film, opening: mine)
    let access = await access(to: film)
    try Task.checkCancellation()
    let location = try await destination(of: film, access)
    try Task.checkCancellation()
    let probe = StreamProbe()
    probing?.cancel()
    probing = probe
    let source = try await shared.open(location)
    try Task.checkCancellation()
    let stream = source == nil ? await LiveStream.probe(location, access, probe) : nil
    try Task.checkCancellation()
    live = stream
    // The coordinator learns of the item before it is loaded: from now on a start waits for this player.
    try await coordinator.transitionToItem(
      withIdentifier: film.item,
      proposing: live.map { PlaybackTiming(rate: timing?.rate ?? 0, itemTime: $0.start) } ?? timing,
      interstitials: ranges,
      playerIsReady: false, isOtherCopy: film.isOtherCopy)
    try Task.checkCancellation()
    if let source, let place = await coordinator.ownItemTime(atHostTime: .now()) {
      source.fetch(at: place)
    }
    await player.setCurrentItemIdentifier(film.item)
    let start = await liveStart()
    try Task.checkCancellation()
    await player.setTimeline(film.timeline)
    let list = FilmOrigin(list: location)
    do throws(MPVError) {
      try await player.load(
        location, titled: film.isStream ? nil : film.title, liveStart: start,
        isForeign: film.isForeign,
        isTrusted: policy.admits(list, on: .internet), proxy: filmProxy?.url, source: source,
        angles: live == nil ? angles(of: film) : [])
    } catch {
      guard case .leadsOutside(let name) = error.reason else { throw error }
      throw LeadsElsewhere(
        refusal: OriginRefusal(origin: list, network: .internet, location: name))
    }
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
          "Everyone else is at a part of the live stream that the server no longer has. "
            + "Seek forward to watch together."))
    }
    return live.startIndex(for: place)
  }

  // MARK: - The proxy

  /// Starts a proxy for a film that another participant chose. Other films use none.
  ///
  /// - Throws: ``StreamProblem`` if there is no free port.
  private func beginProxy(
    for film: FilmIdentity, opening mine: Number
  ) async throws {
    let needsProxy = film.isForeign && film.isStream && !film.isShared
    let upstream = needsProxy ? await upstreamProxy() : nil
    try Task.checkCancellation()
    ProxyExceptions.setEffective(!needsProxy)
    (filmProxy, watch) = (nil, nil)
    guard needsProxy else { return }
    let watch = OriginWatch(policy, isForwarded: upstream != nil) { [weak self] refusal in
      Task { await self?.refused(refusal, opening: mine) }
    }
    do {
      filmProxy = try FilmProxy(upstream: upstream, judge: watch.judge)
    } catch {
      throw StreamProblem(description: "The film can't be loaded: no free port (\(error)).")
    }
    self.watch = watch
  }

  /// Returns the user's own proxy; nil without one.
  func upstreamProxy() async -> UpstreamProxy? {
    await player.ownProxy().flatMap { UpstreamProxy($0, exceptions: ProxyExceptions.text) }
  }

  private func refused(_ refusal: OriginRefusal, opening mine: Number) {
    guard watch?.refusal == refusal else { return }
    runner.send(.film(.answer(.refused(mine, refusal))))
  }

  /// Returns the conditions for this program's own requests to a film's servers. They are the player's.
  ///
  /// - Parameter proxy: the proxy of a film that another participant chose; nil for that of the film on the screen.
  func access(to film: FilmIdentity, through proxy: FilmProxy? = nil) async -> ServerAccess {
    var access = ServerAccess(
      proxy: film.isForeign ? (proxy ?? filmProxy)?.url : await player.ownProxy())
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
    let policy = policy
    @Sendable func problem(of location: String) -> String? {
      if case .refuse(let reason) = policy.verdict(on: location) { reason } else { nil }
    }
    let (location, answer) = await follow(film, access) { problem(of: $0) == nil }
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
  private func follow(
    _ film: FilmIdentity, _ access: ServerAccess, while mayFollow: @Sendable (String) -> Bool
  ) async -> (location: String, answer: HTTPProbe.Answer?) {
    let probe = probe(of: film, access)
    return await Self.follow(film.location, while: mayFollow) { await probe.ask($0) }
  }

  func probe(of film: FilmIdentity, _ access: ServerAccess) -> HTTPProbe {
    // The film's own proxy carries everything, and knows the user's exceptions.
    let exceptions = film.isForeign ? "" : ProxyExceptions.text
    return HTTPProbe(
      verifiesServers: access.verifiesServers, authorities: access.authorities,
      proxy: access.proxy.flatMap { UpstreamProxy($0, exceptions: exceptions) })
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
  nonisolated static let redirectLimit = 8

  // MARK: - Failures

  /// Returns the text for the user about a film that couldn't be opened.
  private func explanation(of error: any Error, _ film: FilmIdentity) async -> String {
    guard let host = URLPolicy.host(of: film.location), film.isStream,
      let error = error as? MPVError,
      error.isAboutServer
    else { return "\(error)" }
    let access = await access(to: film)
    let end = HostTime.now() + .seconds(15)
    let (last, answer) = await follow(film, access) {
      Self.isWeb($0) && .now() < end
    }
    // mpv delivers its log after the event that the film has failed: it came while the server was asked.
    return StreamDiagnosis(host: URLPolicy.host(of: last) ?? host, answer: answer, log: log.lines)
      .text
  }

  /// Keeps an error of mpv's while a stream is being opened. It may explain the failure.
  func keep(log text: String) { log.keep(text, isOpening: isOpeningStream, at: .now()) }
}

/// A film of the party that leads to an origin that the user hasn't agreed to, or a playlist of the user's that leads out
/// of its folder.
struct LeadsElsewhere: Error, Hashable { var refusal: OriginRefusal }

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
