import GroupActivities
import Testing

@testable import STUN

/// STUN's messages, with the examples of RFC 5769.
@Suite("STUN messages") struct STUNMessageTests {
  private func bytes(_ text: String) -> [UInt8] {
    let digits = text.filter { !$0.isWhitespace }
    return stride(from: 0, to: digits.count, by: 2).compactMap { offset in
      let start = digits.index(digits.startIndex, offsetBy: offset)
      return UInt8(digits[start...].prefix(2), radix: 16)
    }
  }

  private let transaction = STUNMessage.TransactionID(high: 0xb7e7_a701, low: 0xbc34_d686_fa87_dfae)

  private var request: [UInt8] {
    bytes(
      """
      00 01 00 58 21 12 a4 42 b7 e7 a7 01 bc 34 d6 86 fa 87 df ae
      80 22 00 10 53 54 55 4e 20 74 65 73 74 20 63 6c 69 65 6e 74
      00 24 00 04 6e 00 01 ff
      80 29 00 08 93 2f f9 b1 51 26 3b 36
      00 06 00 09 65 76 74 6a 3a 68 36 76 59 20 20 20
      00 08 00 14 9a ea a7 0c bf d8 cb 56 78 1e f2 b5 b2 d3 f2 49 c1 b5 71 a2
      80 28 00 04 e5 7a 3b cf
      """)
  }

  private var response: [UInt8] {
    bytes(
      """
      01 01 00 3c 21 12 a4 42 b7 e7 a7 01 bc 34 d6 86 fa 87 df ae
      80 22 00 0b 74 65 73 74 20 76 65 63 74 6f 72 20
      00 20 00 08 00 01 a1 47 e1 12 a6 43
      00 08 00 14 2b 91 f5 99 fd 9e 90 c3 8c 74 89 f9 2a f9 ba 53 f0 6b e7 d7
      80 28 00 04 c0 7d 4c 96
      """)
  }

  private var responseIPv6: [UInt8] {
    bytes(
      """
      01 01 00 48 21 12 a4 42 b7 e7 a7 01 bc 34 d6 86 fa 87 df ae
      80 22 00 0b 74 65 73 74 20 76 65 63 74 6f 72 20
      00 20 00 14 00 02 a1 47 01 13 a9 fa a5 d3 f1 79 bc 25 f4 b5 be d2 b9 d9
      00 08 00 14 a3 82 95 4e 4b e6 7b f1 17 84 c9 7c 82 92 c2 75 bf e3 ed 41
      80 28 00 04 c8 fb 0b 4c
      """)
  }

  @Test("The request of RFC 5769 is read, and names the attribute that isn't understood")
  func sampleRequest() throws {
    let message = try #require(STUNMessage(request))
    #expect(message.kind == .bindingRequest)
    #expect(message.transaction == transaction)
    #expect(message.hasFingerprint)
    // PRIORITY, which belongs to ICE.
    #expect(message.unknownAttributes == [0x0024])
  }

  @Test("The responses of RFC 5769 name the addresses")
  func sampleResponses() throws {
    let four = try #require(STUNMessage(response))
    #expect(four.kind == .bindingResponse)
    #expect(four.mappedAddress == SocketAddress(text: "192.0.2.1", port: 32853))
    let six = try #require(STUNMessage(responseIPv6))
    #expect(
      six.mappedAddress == SocketAddress(text: "2001:db8:1234:5678:11:2233:4455:6677", port: 32853))
  }

  @Test("A changed fingerprint, or a change that it covers, makes a message malformed")
  func fingerprint() {
    for offset in [1, 9, 25, 70, 75] {
      var changed = response
      changed[offset] ^= 1
      #expect(STUNMessage(changed) == nil, "byte \(offset)")
    }
  }

  @Test("A message is read as it was written")
  func roundTrip() throws {
    let addresses = [
      SocketAddress(text: "203.0.113.9", port: 1), SocketAddress(text: "2001:db8::9", port: 65535),
    ].compactMap(\.self)
    #expect(addresses.count == 2)
    for kind in STUNMessage.Kind.allCases {
      for address in addresses {
        for hasFingerprint in [true, false] {
          var message = STUNMessage(
            kind, transaction, mappedAddress: address, otherAddress: addresses[0],
            hasFingerprint: hasFingerprint)
          message.paddingCount = 5
          #expect(STUNMessage(message.bytes) == message)
        }
      }
    }
  }

  @Test("Lengths that lie make a message malformed")
  func lengths() {
    for offset in [2, 3, 22, 23, 38, 39] {
      for value in [0, 1, 3, 9, 0x7f, 0xff] as [UInt8] where value != response[offset] {
        var changed = response
        changed[offset] = value
        #expect(STUNMessage(changed) == nil, "byte \(offset) is \(value)")
      }
    }
    for count in 0..<response.count { #expect(STUNMessage(Array(response[..<count])) == nil) }
    #expect(STUNMessage(response + [0, 0, 0, 0]) == nil)
    #expect(STUNMessage([UInt8](repeating: 0, count: STUNMessage.sizeLimit + 4)) == nil)
  }

  @Test("Arbitrary bytes never crash the parser, and what it reads it writes again")
  func arbitrary() {
    var dice = PathDice(seed: 1)
    for number in 0..<20_000 {
      var bytes = number % 2 == 0 ? response : responseIPv6
      if number % 5 == 0 { bytes = dice.bytes(Int(dice.number(0...100))) }
      for _ in 0..<dice.number(0...4) where !bytes.isEmpty {
        let index = Int(dice.number(0...Int64(bytes.count - 1)))
        bytes[index] = dice.byte()
      }
      // Without the fingerprint, most changes are no longer noticed.
      if number % 3 == 0, bytes.count > 28 {
        bytes.removeLast(8)
        bytes[3] = UInt8(truncatingIfNeeded: bytes.count - 20)
      }
      guard let message = STUNMessage(bytes) else { continue }
      #expect(message.bytes.count <= bytes.count)
      #expect(STUNMessage(message.bytes)?.mappedAddress == message.mappedAddress)
    }
  }

  @Test("Addresses know who may be at them")
  func scopes() throws {
    func address(_ text: String) throws -> SocketAddress {
      try #require(SocketAddress(text: text, port: 9))
    }
    for text in ["0.0.0.0", "224.0.0.1", "255.255.255.255", "240.0.0.1", "::", "ff02::1"] {
      #expect(try !address(text).isUnicast, "\(text)")
    }
    for text in ["192.0.2.1", "127.0.0.1", "::1", "2001:db8::1", "fe80::1"] {
      #expect(try address(text).isUnicast, "\(text)")
    }
    #expect(try address("127.3.2.1").isLoopback)
    #expect(try address("::1").isLoopback)
    #expect(try address("fe80::1").isLinkLocal)
    #expect(try address("169.254.1.1").isLinkLocal)
    for text in ["10.1.2.3", "172.31.0.1", "192.168.0.1", "fd00::1"] {
      #expect(try address(text).isPrivate, "\(text)")
    }
    #expect(try !address("172.32.0.1").isPrivate)
    #expect(try address("::ffff:192.0.2.7") == address("192.0.2.7"))
    #expect(try address("192.168.1.9").sharesPrefix(of: 24, with: address("192.168.1.200")))
    #expect(try !address("192.168.1.9").sharesPrefix(of: 24, with: address("192.168.2.9")))
    #expect(try address("2001:db8:0:1::1").sharesPrefix(of: 64, with: address("2001:db8:0:1:9::")))
  }

  @Test("Addresses are written for users")
  func texts() throws {
    #expect(
      try #require(SocketAddress(text: "192.0.2.7", port: 40112)).description == "192.0.2.7:40112")
    #expect(
      try #require(SocketAddress(text: "2001:db8::7", port: 1)).description
        == "[2001:db8:0:0:0:0:0:7]:1")
  }
}
