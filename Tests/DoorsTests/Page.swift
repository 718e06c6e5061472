import Crypto
import Foundation
import GroupActivities
import Timekeeping

@testable import Doors

/// A page as the tests play it: the other end of the door's seals.
struct Page {
  let link: PageLink
  let id: PageID
  let tab: String
  let pageRandom = [UInt8](repeating: 0x11, count: 32)
  private var sent: UInt64 = 0
  private var toDoor: SymmetricKey?
  private var toPage: SymmetricKey?

  init(_ link: PageLink, number: UInt8 = 1, tab: String = "tab") {
    self.link = link
    self.tab = tab
    id = PageID([UInt8](repeating: number, count: 16))!
  }

  func hello(nonce: UInt8 = 7) -> [UInt8] {
    let head = [1] + link.number.bytes
    let text = #"{"page":"\#(id)","random":"\#(pageRandom.hex)","tab":"\#(tab)"}"#
    let nonce = [UInt8](repeating: nonce, count: 12)
    return head + nonce
      + seal(Array(text.utf8), link.key("matinee page hello v1"), nonce: nonce, seen: head)
  }

  /// Opens an offer, and takes it unless the door refuses.
  mutating func open(_ offer: [UInt8]) throws -> PageSeal.Offer {
    let text = try opened(
      Array(offer.dropFirst(13)), link.key("matinee page offer v1"),
      nonce: Array(offer[1..<13]), seen: [1] + id.bytes)
    let offer = try JSONDecoder().decode(PageSeal.Offer.self, from: Data(text))
    guard let door = [UInt8](hex: offer.random) else { throw CocoaError(.coderInvalidValue) }
    toDoor = link.key("matinee page to door v1", salt: pageRandom + door)
    toPage = link.key("matinee door to page v1", salt: pageRandom + door)
    return offer
  }

  mutating func frame(_ json: String) -> [UInt8] { frame(bytes: [0] + Array(json.utf8)) }

  mutating func frame(bytes: [UInt8]) -> [UInt8] {
    let number = sent.bytes
    sent += 1
    return [2] + id.bytes + number
      + seal(bytes, toDoor!, nonce: [0, 0, 0, 0] + number, seen: [])
  }

  func text(of frame: [UInt8]) throws -> String {
    let text = try opened(
      Array(frame.dropFirst(9)), toPage!, nonce: [0, 0, 0, 0] + frame[1..<9], seen: [])
    return String(decoding: text.dropFirst(), as: UTF8.self)
  }

  private func seal(
    _ text: [UInt8], _ key: SymmetricKey, nonce: [UInt8], seen: [UInt8]
  ) -> [UInt8] {
    let box = try! ChaChaPoly.seal(
      text, using: key, nonce: ChaChaPoly.Nonce(data: nonce), authenticating: seen)
    return Array(box.ciphertext) + Array(box.tag)
  }

  private func opened(
    _ sealed: [UInt8], _ key: SymmetricKey, nonce: [UInt8], seen: [UInt8]
  ) throws -> [UInt8] {
    let box = try ChaChaPoly.SealedBox(
      nonce: ChaChaPoly.Nonce(data: nonce), ciphertext: sealed.dropLast(16), tag: sealed.suffix(16))
    return Array(try ChaChaPoly.open(box, using: key, authenticating: seen))
  }
}

extension UInt64 {
  fileprivate var bytes: [UInt8] {
    (0..<8).map { UInt8(truncatingIfNeeded: self >> (56 - 8 * $0)) }
  }
}

/// Random numbers that are the same in every run.
struct CountingRandom: RandomNumberGenerator, Sendable {
  private var last: UInt64 = 0

  mutating func next() -> UInt64 {
    last &+= 0x9E37_79B9_7F4A_7C15
    return last
  }
}

enum Samples {
  static let invite = try! Invite(
    "matinee://127.0.0.1:62846/00112233445566778899aabbccddeeff#AAECAwQFBgcICQoLDA0ODw")
  static let otherInvite = try! Invite(
    "matinee://127.0.0.1:62846/00112233445566778899aabbccddeeff#AAECAwQFBgcICQoLDA0ODg")
  static let link = PageLink(0x0102_0304_0506_0708, to: invite)
  static let start = HostTime(nanoseconds: 1_000_000_000)

  static func door(at now: HostTime = start) -> DoorMachine {
    DoorMachine(invite: invite, keeper: "Ana", random: CountingRandom(), at: now)
  }
}
