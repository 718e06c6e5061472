import Crypto
import Foundation
import GroupActivities
import Testing

@testable import Doors

@Suite("The page as one file")
struct PageFileTests {
  private func part(_ page: String, _ start: String, _ end: String) throws -> String {
    let begin = try #require(page.range(of: start)?.upperBound)
    let stop = try #require(page.range(of: end, range: begin..<page.endIndex)?.lowerBound)
    return String(page[begin..<stop])
  }

  @Test("Its policy permits its own script and style, and no others")
  func policy() throws {
    let page = PageFile.served
    for (name, start, end) in [
      ("script", #"<script type="module">"#, "</script>"), ("style", "<style>", "</style>"),
    ] {
      let text = try part(page, start, end)
      let hash = Data(SHA256.hash(data: Array(text.utf8))).base64EncodedString()
      #expect(page.contains("\(name)-src 'sha256-\(hash)'"))
    }
    #expect(page.contains("default-src 'none'"))
    #expect(!page.contains("{script}") && !page.contains("/*script*/") && !page.contains("import "))
  }

  @Test("It needs nothing from elsewhere, and has no link of its own")
  func selfContained() throws {
    let page = PageFile.served
    #expect(!page.contains("src=\"http") && !page.contains("@import"))
    #expect(page.contains(#"id="link">""</script>"#))
  }

  @Test("A file for a friend has the link, and the addresses of the relays")
  func file() throws {
    let page = PageFile.file(with: Samples.link, at: Samples.invite.addresses)
    #expect(page.contains(#"id="link">"\#(Samples.link.text)@127.0.0.1:62846"</script>"#))
    #expect(!page.contains(String(Samples.invite.text.suffix(22))))
  }

  @Test("A served page has its link in the fragment, which browsers send to nobody")
  func url() throws {
    let address = try #require(Invite.Address(host: "::1", port: 8080))
    #expect(
      PageFile.url(of: Samples.link, at: address) == "http://[::1]:8080/#\(Samples.link.text)")
  }
}

@Suite("Links")
struct PageLinkTests {
  @Test("A link is known again by its address, or by the page's file, and only for its own party")
  func known() throws {
    let (link, invite) = (Samples.link, Samples.invite)
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).html")
    defer { try? FileManager.default.removeItem(at: file) }
    try PageFile.file(with: link, at: invite.addresses)
      .write(to: file, atomically: true, encoding: .utf8)
    let url = PageFile.url(of: link, at: try #require(Invite.Address(host: "::1", port: 8080)))
    for text in [url, file.path] {
      #expect(PageFile.link(in: text, to: invite) == link)
      #expect(PageFile.link(in: text, to: Samples.otherInvite) == nil)
    }
    for text in ["Mia", "#1", String(url.dropLast()), "/dev/null", "\(url)A"] {
      #expect(PageFile.link(in: text, to: invite) == nil)
    }
  }

  @Test("A link follows from the party's secret and its number, as the chapter on the wire says")
  func vector() {
    #expect(Samples.link.text == "AVs9ik9fbt8PdJBTMFRA7d8BAgMEBQYHCCVDQ2rsxw-gkCtL6TPTDEo")
    #expect("\(Samples.link.identity.id)" == "12f15c236c701171931b6e31ca3dbe7d")
    #expect(
      PartySubjects(
        admissionPublicKey: PageLink.admission(
          Samples.invite.secret, Samples.invite.party
        ).publicKey
      ).prefix == "matinee.a6fd7511a7e0cb91efadeebae3a80358")
  }

  @Test("No link reveals another, and a log shows none")
  func distinct() {
    let other = PageLink(2, to: Samples.invite)
    #expect(other.text != Samples.link.text)
    #expect(other.identity.id != Samples.link.identity.id)
    #expect("\(other)" == "(page link)" && "\(other.debugDescription)" == "(page link)")
  }
}
