import Crypto
import Foundation
import GroupActivities

/// The seals of the messages between pages and doors: ChaCha20-Poly1305 (RFC 8439).
enum PageSeal {
  static let version: UInt8 = 1
  static let frameVersion: UInt8 = 2
  private static let nonceCount = 12
  private static let tagCount = 16

  /// A page's search for a door.
  struct Hello: Codable, Hashable, Sendable {
    var page: String
    var random: String
    /// The same for all openings of a link in one browser.
    var tab: String
  }

  /// A door's answer to a page.
  struct Offer: Codable, Hashable, Sendable {
    enum Refusal: String, Codable, Hashable, Sendable {
      /// The link is open in another browser.
      case inUse
      /// The door has as many guests as it takes.
      case full
    }

    var door: String
    var random: String
    /// The page chooses the lowest rank.
    var rank: Int
    var keeper: String
    var refused: Refusal?
  }

  /// Returns the link that a search names, and the search.
  ///
  /// - Returns: nil for bytes that no page with the link sent.
  static func openHello(
    _ bytes: [UInt8], _ link: (PageLink.Number) -> PageLink
  ) -> (PageLink, Hello)? {
    let head = 1 + 8
    guard bytes.count > head + nonceCount + tagCount, bytes.count <= 1024, bytes[0] == version
    else { return nil }
    let link = link(PageLink.Number(bigEndianBytes: bytes[1..<head]))
    let text = opened(
      bytes[(head + nonceCount)...], link.key("matinee page hello v1"),
      nonce: bytes[head..<(head + nonceCount)], seen: bytes[..<head])
    guard let text, let hello = try? JSONDecoder().decode(Hello.self, from: Data(text)) else {
      return nil
    }
    return (link, hello)
  }

  static func seal(
    _ offer: Offer, by link: PageLink, for page: PageID,
    using random: inout any RandomNumberGenerator & Sendable
  ) -> [UInt8] {
    let nonce = [UInt8].random(nonceCount, using: &random)
    guard let text = try? JSONEncoder().encode(offer) else {
      preconditionFailure("texts and numbers have a form in JSON")
    }
    return [version] + nonce
      + sealed(
        Array(text), link.key("matinee page offer v1"), nonce: nonce, seen: [version] + page.bytes)
  }

  // MARK: - Frames

  /// The keys of one connection between a page and a door, and the numbers of its frames.
  struct Channel: Sendable {
    private let toDoor: SymmetricKey
    private let toPage: SymmetricKey
    private var sent: UInt64 = 0
    private var received: UInt64?

    /// - Parameters:
    ///   - page: the random bytes of the page.
    ///   - door: those of the door.
    init(_ link: PageLink, page: [UInt8], door: [UInt8]) {
      toDoor = link.key("matinee page to door v1", salt: page + door)
      toPage = link.key("matinee door to page v1", salt: page + door)
    }

    /// Opens a frame without its head.
    ///
    /// - Returns: nil for a forged frame, and for one that isn't newer than the last.
    mutating func open(_ frame: ArraySlice<UInt8>) -> [UInt8]? {
      guard frame.count >= 8 + tagCount else { return nil }
      let number = UInt64(bigEndianBytes: frame.prefix(8))
      guard received.map({ number > $0 }) ?? true,
        let text = opened(
          frame.dropFirst(8), toDoor, nonce: [0, 0, 0, 0] + frame.prefix(8), seen: [])
      else { return nil }
      received = number
      return text
    }

    mutating func seal(_ text: [UInt8]) -> [UInt8] {
      let number = sent.bigEndianBytes
      sent += 1
      return [frameVersion] + number
        + sealed(text, toPage, nonce: [0, 0, 0, 0] + number, seen: [])
    }
  }

  // MARK: -

  private static func sealed(
    _ text: [UInt8], _ key: SymmetricKey, nonce: [UInt8], seen: [UInt8]
  ) -> [UInt8] {
    guard let nonce = try? ChaChaPoly.Nonce(data: nonce),
      let box = try? ChaChaPoly.seal(text, using: key, nonce: nonce, authenticating: seen)
    else { preconditionFailure("keys have 32 bytes, and nonces 12") }
    return Array(box.ciphertext) + Array(box.tag)
  }

  private static func opened(
    _ sealed: ArraySlice<UInt8>, _ key: SymmetricKey, nonce: some Sequence<UInt8>,
    seen: ArraySlice<UInt8>
  ) -> [UInt8]? {
    guard let nonce = try? ChaChaPoly.Nonce(data: Array(nonce)),
      let box = try? ChaChaPoly.SealedBox(
        nonce: nonce, ciphertext: sealed.dropLast(tagCount), tag: sealed.suffix(tagCount)),
      let text = try? ChaChaPoly.open(box, using: key, authenticating: Array(seen))
    else { return nil }
    return Array(text)
  }
}
