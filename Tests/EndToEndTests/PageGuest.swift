import BrowserTesting
import Foundation
import Testing

/// A guest without Matinee: the page of a party in a real browser.
final class PageGuest: Sendable {
  let browser: any Browser

  /// A film of a minute with the usual trouble of a disk: B-frames, AC-3, and a keyframe every two seconds. Its frames
  /// show their numbers, as ten bars of which the bright ones are set bits.
  static let film = Result {
    let file = Clips.folder.appendingPathComponent("numbered.mkv").path
    let bar = "mod(floor(N/pow(2,floor(X/32))),2)"
    try Clips.ffmpeg([
      "-f", "lavfi", "-i",
      "color=s=320x64:r=25:d=60,format=yuv420p,geq=lum='16+219*\(bar)':cb=128:cr=128",
      "-f", "lavfi", "-i", "anoisesrc=d=60:a=0.1:seed=7", "-c:v", "libx264", "-preset", "veryfast",
      "-g", "50", "-bf", "2", "-c:a", "ac3", file,
    ])
    return file
  }

  init(_ kind: BrowserKind) async throws { browser = try await kind.start() }

  init(_ browser: any Browser) { self.browser = browser }

  /// Makes a link, and returns the page's file and the addresses at which the relay serves it.
  static func link(from host: MatineeProcess) async throws -> (file: URL, links: [URL]) {
    let file = try Clips.newFolder("page").appendingPathComponent("party.html")
    try host.send("page \(file.path)")
    let event = try await host.next("page") { $0.string("file") == file.path }
    let links = event.fields["links"] as? [[String: Any]] ?? []
    return (file, links.compactMap { ($0["url"] as? String).flatMap(URL.init(string:)) })
  }

  func open(_ url: URL) async throws { try await browser.open(url) }

  /// Joins under a name, with the click without which a page can't be heard.
  func join(as name: String, expecting phase: String = "party") async throws {
    try await browser.wait(until: "matinee.state.connection === 'offered'")
    try await browser.run("document.querySelector('#name').value = '\(name)'")
    try await browser.click("#join button.primary")
    try await browser.wait(until: "matinee.state.phase === '\(phase)'")
  }

  /// Waits until the page can show the film.
  func hasFilm() async throws {
    try await browser.wait(until: "document.querySelector('video').readyState >= 3")
  }

  func reads(_ text: String) async throws {
    try await browser.wait(until: "document.body.innerText.includes(`\(text)`)")
  }

  /// The number of the frame on the screen.
  func frame() async throws -> Int {
    try await browser.evaluate(
      """
      (() => {
        const canvas = document.createElement("canvas"), video = document.querySelector("video")
        canvas.width = 320
        canvas.height = 64
        const context = canvas.getContext("2d")
        context.drawImage(video, 0, 0, 320, 64)
        let number = 0
        for (let bit = 0; bit < 10; bit += 1) {
          if (context.getImageData(32 * bit + 16, 32, 1, 1).data[0] > 127) number += 2 ** bit
        }
        return number
      })()
      """)
  }

  func use(_ command: String) async throws { try await browser.run(command) }
}
