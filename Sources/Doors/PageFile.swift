import CPage
import Crypto
import Foundation
import GroupActivities

/// The page for friends with a browser: one file of HTML, with its script and its style inside.
package enum PageFile {
  /// The page as a relay serves it: the link is in the fragment of its address.
  package static let served = assembled(link: "")

  /// A limit in bytes, larger than any page.
  private static let sizeLimit = 1 << 20

  /// Returns the page as a file to send to one friend.
  ///
  /// - Parameter addresses: those at which the page finds a relay.
  package static func file(with link: PageLink, at addresses: [Invite.Address]) -> String {
    assembled(link: link.text(at: addresses))
  }

  /// Returns the address of the page that a relay serves, with a link in its fragment, which browsers don't send.
  package static func url(of link: PageLink, at address: Invite.Address) -> String {
    let host = address.host.contains(":") ? "[\(address.host)]" : address.host
    return
      "\(address.security == nil ? "http" : "https")://\(host):\(address.port)/#\(link.text)"
  }

  /// Returns the link to a party that is in a page's address, or in the file of a page at a path; nil if there is none.
  package static func link(in text: String, to invite: Invite) -> PageLink? {
    if let hash = text.firstIndex(of: "#") {
      return PageLink(text: text[hash...].dropFirst(), to: invite)
    }
    guard let file = FileHandle(forReadingAtPath: text),
      let bytes = try? file.read(upToCount: sizeLimit),
      let link = String(decoding: bytes, as: UTF8.self).firstMatch(of: /id="link">"([^"@]*)/)
    else { return nil }
    return PageLink(text: link.output.1, to: invite)
  }

  private static func assembled(link: String) -> String {
    let script = (0..<cpage_module_count).map { index in
      part(of: text(of: cpage_module(index)))
    }.joined(separator: "\n")
    let style = text(of: cpage_style)
    // The text of a link has no character that HTML or JSON would need to escape.
    return text(of: cpage_template)
      .replacing("{script}", with: hash(script)).replacing("{style}", with: hash(style))
      .replacing("/*style*/", with: style)
      .replacing(#"id="link">"""#, with: #"id="link">"\#(link)""#)
      .replacing("/*script*/", with: script)
  }

  private static func text(of file: cpage_file) -> String {
    String(decoding: UnsafeBufferPointer(start: file.bytes, count: file.count), as: UTF8.self)
  }

  /// Returns a module as a part of one script: its names are those of all modules.
  private static func part(of module: String) -> String {
    module.split(separator: "\n", omittingEmptySubsequences: false)
      .filter { !$0.hasPrefix("import ") }
      .map { $0.hasPrefix("export ") ? $0.dropFirst("export ".count) : $0 }
      .joined(separator: "\n")
  }

  /// The hash by which the page's policy permits its script and its style, and no other.
  private static func hash(_ text: String) -> String {
    Data(SHA256.hash(data: Array(text.utf8))).base64EncodedString()
  }
}
