import AVFormat
import OriginFilter
import Screening

/// The filter between films that another participant chose and their servers.
extension Theater {
  /// Starts a filter for a film that another participant chose. Other films use none.
  ///
  /// - Throws: ``StreamProblem`` if there is no free port.
  func beginFilter(for film: FilmIdentity, opening mine: Int) async throws {
    let isFiltered = film.isForeign && film.isStream
    let ownProxy = isFiltered ? await player.ownProxy() : nil
    guard programme.isCurrent(mine) else { return }
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

  /// Asks the user about an origin that the film needs, while it is opened or while it plays.
  private func refused(_ refusal: OriginRefusal, opening mine: Int) async {
    guard originWatch?.refusal == refusal else { return }
    await take(.refused(mine, refusal))
  }

  /// Returns the conditions for this program's own requests to a film's servers. They are the player's.
  func access(to film: FilmIdentity) async -> ServerAccess {
    var access = ServerAccess(proxy: film.isForeign ? filter?.url : nil)
    do {
      access.verifiesServers = try await player.verifiesServers()
      access.authorities = try await player.certificateAuthorities()
    } catch {
      // A player that has shut down needs no requests.
      access.verifiesServers = true
    }
    return access
  }
}
