import Testing

@testable import NATSProtocol

@Suite("NKeys")
struct NKeyTests {
  /// The bytes 0 to 31, written by another implementation of the format.
  private let text = "UAAACAQDAQCQMBYIBEFAWDANBYHRAEISCMKBKFQXDAMRUGY4DUPB63NN"

  @Test("CRC-16 is that of XMODEM")
  func checksum() {
    #expect(CRC16.checksum(of: Array("123456789".utf8)) == 0x31c3)
  }

  @Test("A published key is read and written back")
  func published() throws {
    let key = try #require(NKey.publicKey(from: text.utf8, role: .user))
    #expect(key == Array(0..<32))
    #expect(NKey.text(of: key, role: .user) == text)
    #expect(NKey.publicKey(from: text.utf8, role: .server) == nil)
  }

  @Test("Any change of a character is noticed")
  func damage() {
    let characters = Array(text.utf8)
    for position in characters.indices {
      for other in "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567u018= ".utf8
      where other != characters[position] {
        var damaged = characters
        damaged[position] = other
        #expect(NKey.publicKey(from: damaged, role: .user) == nil)
      }
    }
    #expect(NKey.publicKey(from: characters.dropLast(), role: .user) == nil)
    #expect(NKey.publicKey(from: characters + [65], role: .user) == nil)
  }

  @Test("A seed is read and written back, and its damage noticed")
  func seeds() throws {
    for byte in UInt8.min ... .max {
      let seed = [UInt8](repeating: byte, count: 32)
      for (role, letters) in [(NKey.Role.user, "SU"), (.account, "SA"), (.operator, "SO")] {
        let text = NKey.text(ofSeed: seed, role: role)
        #expect(text.count == 58)
        #expect(text.hasPrefix(letters))
        #expect(NKey.seed(from: text.utf8, role: role) == seed)
        #expect(NKey.seed(from: text.utf8, role: .server) == nil)
        #expect(NKey.seed(from: text.dropLast().utf8, role: role) == nil)
        #expect(NKey.seed(from: ("T" + text.dropFirst()).utf8, role: role) == nil)
      }
    }
  }

  @Test("Keys of all byte values can be written and read back")
  func roundTrip() {
    for byte in UInt8.min ... .max {
      let key = [UInt8](repeating: byte, count: 32)
      let text = NKey.text(of: key, role: .user)
      #expect(text.count == 56)
      #expect(text.first == "U")
      #expect(NKey.publicKey(from: text.utf8, role: .user) == key)
    }
    #expect(NKey.text(of: [UInt8](repeating: 7, count: 32), role: .server).first == "N")
  }
}
