import Foundation

/// Where the session bus listens (D-Bus Specification, "Server Addresses").
enum SessionBusAddress {
  /// The socket's path; nil for other transports, which aren't looked at.
  static func path(_ address: String) -> String? {
    for part in address.split(separator: ";") where part.hasPrefix("unix:") {
      for pair in part.dropFirst("unix:".count).split(separator: ",")
      where pair.hasPrefix("path=") {
        return String(pair.dropFirst("path=".count)).removingPercentEncoding
      }
    }
    return nil
  }

  /// Whether somebody takes connections there.
  static func answers(_ path: String) -> Bool {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let bytes = Array(path.utf8)
    guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else { return false }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    return withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
      }
    }
  }
}
