import CAVFormat
import CConnectGuard

/// The conditions under which servers are asked: mpv's own, so that they learn no more from this program than from mpv.
public struct ServerAccess: Hashable, Sendable {
  /// A Boolean value that indicates whether a server has to prove who it is before anything is sent to it.
  public var verifiesServers: Bool
  /// The file of the certificate authorities; nil for the system's.
  public var authorities: String?
  /// The HTTP proxy through which everything goes, with its credentials (`http://user:password@host:port`); nil for none.
  public var proxy: String?

  /// Creates the conditions.
  public init(verifiesServers: Bool = true, authorities: String? = nil, proxy: String? = nil) {
    self.verifiesServers = verifiesServers
    self.authorities = authorities
    self.proxy = proxy
  }

  func set(_ options: inout OpaquePointer?) {
    av_dict_set(&options, "tls_verify", verifiesServers ? "1" : "0", 0)
    if let authorities { av_dict_set(&options, "ca_file", authorities, 0) }
    if let proxy { av_dict_set(&options, "http_proxy", proxy, 0) }
  }

  /// Runs a look at a server, to which the confinement of what the player opens doesn't apply: it asks no server of
  /// which another one told, but by ``proxy``.
  ///
  /// On one thread: libavformat connects on the thread that asks it to.
  func look<Value>(_ body: () -> Value) -> Value {
    connect_guard_exempt(true)
    defer { connect_guard_exempt(false) }
    return body()
  }
}
