import Testing

@testable import GroupActivities
@testable import NKeys
@testable import Relay

@Suite("NKEYs")
struct NKeyTests {
  @Test("A public key is read back from its text")
  func roundTrip() {
    for _ in 0..<500 {
      let key = AdmissionKey().publicKey
      let text = NKey.userText(publicKey: key)
      #expect(text.utf8.count == 56 && text.hasPrefix("U"))
      #expect(NKey.publicKey(userText: text) == key)
    }
  }

  @Test("A changed character is noticed")
  func checksum() {
    let text = NKey.userText(publicKey: AdmissionKey().publicKey)
    for index in text.indices {
      var changed = text
      changed.replaceSubrange(index...index, with: text[index] == "A" ? "B" : "A")
      #expect(NKey.publicKey(userText: changed) == nil)
    }
    #expect(NKey.publicKey(userText: "") == nil)
    #expect(NKey.publicKey(userText: text.lowercased()) == nil)
  }
}
