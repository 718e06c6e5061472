import CAVFormat
import CConnectGuard

/// The conditions under which servers are asked. They are mpv's own, so that a server learns no more from this program
/// than from mpv.
package struct ServerAccess: Hashable, Sendable {
  /// A Boolean value that indicates whether a server must have a trusted certificate before it gets any request.
  package var verifiesServers: Bool
  /// The file with the trusted certificate authorities; nil for the system's.
  package var authorities: String?
  /// The HTTP proxy for all connections, with its credentials (`http://user:password@host:port`); nil for none.
  package var proxy: String?

  package init(verifiesServers: Bool = true, authorities: String? = nil, proxy: String? = nil) {
    self.verifiesServers = verifiesServers
    self.authorities = authorities
    self.proxy = proxy
  }

  func set(_ options: inout OpaquePointer?) {
    av_dict_set(&options, "tls_verify", verifiesServers ? "1" : "0", 0)
    if let authorities { av_dict_set(&options, "ca_file", authorities, 0) }
    if let proxy { av_dict_set(&options, "http_proxy", proxy, 0) }
  }

  /// Runs requests to a server without the confinement of the player's connections. They reach servers that another
  /// server named only through ``proxy``.
  ///
  /// The exemption holds for the calling thread: libavformat connects on the thread that calls it.
  func look<Value>(_ body: () -> Value) -> Value {
    connect_guard_exempt(true)
    defer { connect_guard_exempt(false) }
    return body()
  }
}
