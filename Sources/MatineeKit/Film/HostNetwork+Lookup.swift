import Concurrency
import Foundation
import Reachability
import Screening

extension HostNetwork {
  /// Finds the network of a server through the system's resolver.
  static func find(_ host: String) async -> HostNetwork {
    await OwnedThread.run("resolve", atMost: .seconds(5)) {
      HostNetwork(of: host, addresses: resolve(host), nearby: nearby())
    } ?? HostNetwork(of: host, addresses: nil, nearby: [])
  }

  /// Returns the addresses of this machine and its routers.
  static func nearby() -> Set<String> {
    Set(InterfaceAddress.all().map(\.text) + InterfaceAddress.routers())
  }

  /// Returns the numeric addresses of a name; nil if it can't be resolved. It blocks.
  static func resolve(_ host: String) -> [String]? {
    var hints = addrinfo()
    hints.ai_socktype = CInt(SOCK_STREAM.rawValue)
    var list: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(host, nil, &hints, &list) == 0 else { return nil }
    defer { freeaddrinfo(list) }
    return sequence(first: list, next: { $0?.pointee.ai_next }).compactMap { entry in
      guard let entry else { return nil }
      var name = [CChar](repeating: 0, count: Int(NI_MAXHOST))
      guard
        getnameinfo(
          entry.pointee.ai_addr, entry.pointee.ai_addrlen, &name, socklen_t(name.count), nil, 0,
          NI_NUMERICHOST) == 0
      else { return nil }
      let text = String(
        decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
      return text.split(separator: "%").first.map(String.init)
    }
  }
}
