import AVFormat
import OriginFilter

/// The way to the servers of films that another participant chose.
extension Theater {
  /// Starts a filter for a film that another participant chose. Other films use none.
  ///
  /// - Throws: ``StreamProblem`` without a free port.
  func beginFilter(for film: FilmIdentity, opening mine: Int) async throws {
    let isFiltered = film.isForeign && film.isStream
    let ownProxy = isFiltered ? await player.ownProxy() : nil
    guard mine == opening else { return }
    ProxyExceptions.setEffective(!isFiltered)
    (filter, originWatch) = (nil, nil)
    guard isFiltered else { return }
    let upstream = ownProxy.flatMap { UpstreamProxy($0, exceptions: ProxyExceptions.text) }
    let watch = OriginWatch(policy, isForwarded: upstream != nil) { [weak self] refusal in
      Task { await self?.refused(refusal, opening: mine) }
    }
    do {
      filter = try OriginFilter(upstream: upstream, judge: watch.judge)
    } catch {
      throw StreamProblem(description: "The film can't be loaded: no free port (\(error.code)).")
    }
    originWatch = watch
  }

  /// Ends all connections of the film.
  func endFilter() {
    filter?.stop()
    (filter, originWatch) = (nil, nil)
  }

  /// The film leads to an origin that the user hasn't agreed to, as it is opened or while it plays.
  private func refused(_ refusal: OriginRefusal, opening mine: Int) async {
    guard mine == opening, originWatch?.refusal == refusal, let adopted else { return }
    await ask(about: refusal, for: adopted)
  }

  /// The way in which this program's own requests reach a film's servers: as the player's do.
  func access(to film: FilmIdentity) async -> ServerAccess {
    var access = ServerAccess(proxy: film.isForeign ? filter?.url : nil)
    do {
      access.verifiesServers = try await player.verifiesServers()
      access.authorities = try await player.certificateAuthorities()
    } catch {
      // A player that has shut down asks for nothing.
      access.verifiesServers = true
    }
    return access
  }
}
