import FilmProxy
import Screening
import Timekeeping
import WatchTogether

/// Fingerprints of films on servers, read by ranges of their bytes. They are those of files with the same content.
extension FilmAdapter {
  /// Reads the fingerprint of a film on a server. A film of another participant is asked for through a proxy of its own,
  /// which reaches no server that the user hasn't agreed to.
  ///
  /// - Parameters:
  ///   - sizes: the sizes in bytes of the films that it may be; nil if any size is possible.
  ///   - patience: the time for all requests. A server that needs more for three short ranges can't play the film either.
  /// - Returns: nil for another size, and for a server that states no length, sends no ranges or is too slow.
  func fingerprint(
    of film: FilmIdentity, among sizes: Set<Int>?, within patience: Duration = .seconds(5)
  ) async -> String? {
    let (policy, end) = (policy, HostTime.now() + patience)
    guard film.isForeign else {
      let probe = probe(of: film, await access(to: film))
      return await Self.fingerprint(
        at: film.location, among: sizes, until: end, probe, while: Self.isWeb)
    }
    let upstream = await upstreamProxy()
    let watch = OriginWatch(policy, isForwarded: upstream != nil) { _ in }
    guard let proxy = try? FilmProxy(upstream: upstream, judge: watch.judge) else { return nil }
    defer { proxy.stop() }
    let probe = probe(of: film, await access(to: film, through: proxy))
    return await Self.fingerprint(at: film.location, among: sizes, until: end, probe) {
      if case .refuse = policy.verdict(on: $0) { false } else { true }
    }
  }

  /// - Parameter mayFollow: decides about the target of a redirect.
  private nonisolated static func fingerprint(
    at location: String, among sizes: Set<Int>?, until end: HostTime, _ probe: HTTPProbe,
    while mayFollow: @Sendable (String) -> Bool
  ) async -> String? {
    @Sendable func read(_ range: Range<Int>, of location: String) async -> HTTPProbe.Reply? {
      await probe.read(range, of: location, within: max(.zero, end - .now()))
    }
    var location = location
    let head = 0..<FilmIdentifier.sampleLength
    var reply = await read(head, of: location)
    for _ in 0..<redirectLimit {
      guard case .status(_, let target?, _)? = reply?.answer, mayFollow(target) else { break }
      location = target
      reply = await read(head, of: location)
    }
    guard let first = reply?.part, sizes?.contains(first.size) ?? true else { return nil }
    let (ranges, last) = (FilmIdentifier.samples(ofSize: first.size), location)
    async let middle = read(ranges[1], of: last)?.part
    async let tail = read(ranges[2], of: last)?.part
    let parts = [first, await middle, await tail].compactMap(\.self)
    guard parts.count == ranges.count, parts.allSatisfy({ $0.size == first.size }) else {
      return nil
    }
    return FilmIdentifier.fingerprint(ofSize: first.size, samples: parts.map(\.bytes))
  }
}
