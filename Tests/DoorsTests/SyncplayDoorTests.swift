import Foundation
import GroupActivities
import Testing

@testable import Doors

@Suite("The door for Syncplay's clients")
struct SyncplayDoorTests {
  /// A client's connection.
  private final class Connection: Sendable {
    private let descriptor: CInt

    init(port: Int) throws {
      descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = in_port_t(port).bigEndian
      address.sin_addr.s_addr = inet_addr("127.0.0.1")
      let result = withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
      }
      try #require(result == 0)
    }

    deinit { close(descriptor) }

    /// A Boolean value that indicates whether the door has closed the connection.
    var isClosed: Bool {
      var bytes = [UInt8](repeating: 0, count: 4096)
      var count = 1
      while count > 0 { count = recv(descriptor, &bytes, bytes.count, CInt(MSG_DONTWAIT)) }
      return count == 0 || errno != EAGAIN
    }
  }

  private func wait(until isSo: () -> Bool) async throws {
    for _ in 0..<400 where !isSo() { try await Task.sleep(for: .milliseconds(20)) }
    #expect(isSo())
  }

  @Test("Connections without the password are bounded: the oldest makes room for the newest")
  func visitors() async throws {
    let door = SyncplayDoor(on: "127.0.0.1", certificate: nil)
    try await door.listen(port: 0)
    let port = try #require(door.port)
    let keeper = Participant(id: Samples.invite.party, name: "Ana", role: .host)
    let ways = Door.Ways { _ in preconditionFailure("nobody comes in") }
    await door.open(to: Samples.invite, keeper: keeper, film: nil, through: ways) { [] }
    let connections = try (0..<SyncplayDoor.visitorLimit + 5).map { _ in try Connection(port: port)
    }
    try await wait { connections.count(where: \.isClosed) == 5 }
    await door.close()
    try await wait { connections.allSatisfy(\.isClosed) }
  }
}
