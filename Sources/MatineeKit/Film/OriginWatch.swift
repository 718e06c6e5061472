import FilmProxy
import Screening
import Synchronization

/// A decision about a server that a film of another participant needs.
enum OriginJudgement: Hashable, Sendable {
  case connect(addresses: [String])
  case refuse(OriginRefusal?)
  case unknownHost

  /// - Parameters:
  ///   - addresses: resolves the host's name; nil if it can't be resolved. Called only for origins that the user agreed
  ///     to.
  ///   - nearby: addresses of this machine and its routers.
  ///   - isForwarded: the user's own proxy resolves the name. Perhaps nothing else can.
  init(
    on destination: ProxyDestination, _ policy: URLPolicy, isForwarded: Bool,
    nearby: () -> Set<String>, addresses: (String) -> [String]?
  ) {
    let scheme = destination.isEncrypted ? "https" : "http"
    let host = destination.host.contains(":") ? "[\(destination.host)]" : destination.host
    guard let origin = FilmOrigin(of: "\(scheme)://\(host):\(destination.port)/") else {
      self = .refuse(nil)
      return
    }
    guard policy.allowed.contains(origin) else {
      self = .refuse(OriginRefusal(origin: origin, location: destination.location))
      return
    }
    let found = addresses(origin.host)
    guard found != nil || isForwarded else {
      self = .unknownHost
      return
    }
    let network = HostNetwork(of: origin.host, addresses: found, nearby: nearby())
    guard policy.admits(origin, on: network) else {
      self = .refuse(
        OriginRefusal(origin: origin, network: network, location: destination.location))
      return
    }
    self = .connect(addresses: found ?? [])
  }
}

/// The judge of an ``FilmProxy``. It knows the user's consent, and keeps the first origin without it.
final class OriginWatch: Sendable {
  private struct State {
    var policy: URLPolicy
    var refusal: OriginRefusal?
    var isReporting = false
  }

  private let state: Mutex<State>
  private let isForwarded: Bool
  private let refused: @Sendable (OriginRefusal) -> Void

  /// - Parameter refused: called once, from any thread, after ``begin()``.
  init(
    _ policy: URLPolicy, isForwarded: Bool, refused: @escaping @Sendable (OriginRefusal) -> Void
  ) {
    state = Mutex(State(policy: policy))
    self.isForwarded = isForwarded
    self.refused = refused
  }

  /// The first origin that was refused.
  var refusal: OriginRefusal? { state.withLock { $0.refusal } }

  /// Begins to report, once the film's redirects have been followed.
  ///
  /// - Returns: the refusal until now, which isn't reported.
  package func begin() -> OriginRefusal? {
    state.withLock { state in
      state.isReporting = true
      return state.refusal
    }
  }

  func update(_ policy: URLPolicy) { state.withLock { $0.policy = policy } }

  /// Decides about a connection. Blocks while a name is resolved.
  func judge(_ destination: ProxyDestination) -> FilmProxy.Verdict {
    let policy = state.withLock { $0.policy }
    let judgement = OriginJudgement(
      on: destination, policy, isForwarded: isForwarded, nearby: HostNetwork.nearby,
      addresses: HostNetwork.resolve)
    switch judgement {
    case .connect(let addresses): return .connect(addresses: addresses)
    case .unknownHost: return .unknownHost
    case .refuse(nil): return .refuse
    case .refuse(let refusal?):
      let isReported = state.withLock { state in
        guard state.refusal == nil else { return false }
        state.refusal = refusal
        return state.isReporting
      }
      if isReported { refused(refusal) }
      return .refuse
    }
  }
}
