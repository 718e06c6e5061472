import GroupActivities
import STUN
import Testing

@testable import DirectPath

/// The bytes of checks and datagrams.
@Suite("Check packets") struct CheckPacketTests {
  private let secret = (0..<32).map { UInt8($0) }
  private var controlling: PathKeys { PathKeys(secret: secret, isControlling: true) }
  private var controlled: PathKeys { PathKeys(secret: secret, isControlling: false) }
  private let address = SocketAddress(IPv4: 0xc000_0207, port: 40112)

  private func hexadecimal(_ bytes: [UInt8]) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  @Test(
    "A packet of one end is read by the other end, and by no one else",
    arguments: CheckPacket.Kind.allCases)
  func readByPeer(kind: CheckPacket.Kind) {
    let packet = CheckPacket(
      kind, isValidated: true, transaction: 7, observed: kind.isAnswer ? address : nil)
    let bytes = packet.bytes(controlling.outgoing)
    #expect(bytes.count == CheckPacket.size)
    #expect(CheckPacket(bytes, controlled.incoming) == packet)
    let stranger = PathKeys(secret: [UInt8](repeating: 1, count: 32), isControlling: false)
    #expect(CheckPacket(bytes, stranger.incoming) == nil)
  }

  @Test("A packet that is sent back to its sender proves nothing")
  func reflected() {
    let bytes = CheckPacket(.request, isValidated: false, transaction: 7)
      .bytes(controlling.outgoing)
    #expect(CheckPacket(bytes, controlling.incoming) == nil)
    #expect(controlling.incoming.id != controlling.outgoing.id)
  }

  @Test("A change of any bit makes a packet worthless")
  func changed() {
    let bytes = CheckPacket(.response, isValidated: true, transaction: .max, observed: address)
      .bytes(controlling.outgoing)
    for bit in 0..<(8 * bytes.count) {
      var changed = bytes
      changed[bit / 8] ^= 1 << UInt8(bit % 8)
      #expect(CheckPacket(changed, controlled.incoming) == nil, "bit \(bit)")
    }
    for count in 0..<bytes.count {
      #expect(CheckPacket(Array(bytes[..<count]), controlled.incoming) == nil)
    }
    #expect(CheckPacket(bytes + [0], controlled.incoming) == nil)
  }

  @Test("An answer contains the address from which the question came")
  func observed() throws {
    let six = try #require(SocketAddress(text: "2001:db8::7", port: 1))
    for address in [address, six] {
      let packet = CheckPacket(
        .confirmation, isValidated: false, transaction: 1, observed: address)
      let read = CheckPacket(packet.bytes(controlled.outgoing), controlling.incoming)
      #expect(read?.observed == address)
    }
  }

  @Test("A datagram has nine more bytes, and names its path")
  func datagram() throws {
    let content: [UInt8] = [1, 2, 3]
    let bytes = DataPacket.bytes(content, controlling.outgoing)
    #expect(bytes.count == content.count + 9)
    let read = try #require(DataPacket.read(bytes))
    #expect(read.pathID == controlled.incoming.id)
    #expect(read.content == content)
    let longest = [UInt8](repeating: 0, count: PathInvitation.datagramLimit)
    #expect(DataPacket.read(DataPacket.bytes(longest, controlling.outgoing)) != nil)
    #expect(DataPacket.read(DataPacket.bytes(longest + [0], controlling.outgoing)) == nil)
    #expect(DataPacket.read(Array(bytes[..<8])) == nil)
  }

  /// Another program must calculate the same bytes; the article quotes them.
  @Test("The bytes are those of the article")
  func vectors() {
    let response = CheckPacket(
      .response, isValidated: true, transaction: 0x0102_0304_0506_0708, observed: address)
    #expect(
      hexadecimal(response.bytes(controlling.outgoing))
        == "c10201046bc7576c4477aec301020304050607089cb0c0000207"
        + "0000000000000000000000000bfc7733cf87f7f7618287f0b0cbc993")
    #expect(hexadecimal(DataPacket.bytes([0x61], controlled.outgoing)) == "c223420bb5cd26546161")
  }

  @Test("The first bytes of checks, datagrams and STUN differ")
  func firstBytes() {
    let check = CheckPacket(.request, isValidated: false, transaction: 0)
      .bytes(controlling.outgoing)
    let data = DataPacket.bytes([], controlling.outgoing)
    #expect(check[0] == 0xc1)
    #expect(data[0] == 0xc2)
    #expect(!STUNMessage.isLikely(check))
    #expect(DataPacket.read(check) == nil)
    #expect(CheckPacket.pathID(of: data) == nil)
  }
}
