import Foundation

#if canImport(Glibc)
  import Glibc
#endif

/// TCP sockets in this machine's loopback network, of which all addresses of 127.0.0.0/8 are.
package enum Loopback {
  /// Makes a socket that listens.
  ///
  /// - Parameter port: 0 for a free one.
  package static func listen(
    at host: String = "127.0.0.1", port: Int = 0
  ) throws -> (descriptor: CInt, port: Int) {
    let descriptor = make()
    var address = Self.address(host, port)
    var length = size
    let status = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, length) | Glibc.listen(descriptor, 16)
          | getsockname(descriptor, $0, &length)
      }
    }
    guard status == 0 else { throw failure("listening at \(host)", descriptor) }
    return (descriptor, Int(UInt16(bigEndian: address.sin_port)))
  }

  /// Returns a free port that the system gives to no program by itself, for a program that will need it again.
  package static func lastingPort() -> Int {
    while true {
      let port = Int.random(in: 10_000..<32_000)
      guard let socket = try? listen(port: port) else { continue }
      close(socket.descriptor)
      return port
    }
  }

  /// Makes a socket that is connected to a port of 127.0.0.1.
  ///
  /// - Parameters:
  ///   - source: the address to connect from; nil for the system's choice, 127.0.0.1.
  ///   - prepare: sets the options of the socket before it connects.
  package static func connect(
    to port: Int, from source: String? = nil, _ prepare: (CInt) -> Void = { _ in }
  ) throws -> CInt {
    let descriptor = make()
    prepare(descriptor)
    var status: CInt = 0
    if let source { status = with(address(source, 0)) { bind(descriptor, $0, size) } }
    if status == 0 {
      status = with(address("127.0.0.1", port)) { Glibc.connect(descriptor, $0, size) }
    }
    guard status == 0 else { throw failure("connecting to \(port)", descriptor) }
    return descriptor
  }

  private static let size = socklen_t(MemoryLayout<sockaddr_in>.size)

  private static func make() -> CInt {
    socket(AF_INET, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
  }

  private static func address(_ host: String, _ port: Int) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(port).bigEndian
    address.sin_addr.s_addr = inet_addr(host)
    return address
  }

  private static func with(
    _ address: sockaddr_in, _ body: (UnsafePointer<sockaddr>) -> CInt
  ) -> CInt {
    withUnsafePointer(to: address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0) }
    }
  }

  private static func failure(_ operation: String, _ descriptor: CInt) -> ChildProcess.Failure {
    let failure = ChildProcess.Failure("\(operation): errno \(errno)")
    close(descriptor)
    return failure
  }
}
