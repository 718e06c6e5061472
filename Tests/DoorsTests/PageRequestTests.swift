import Testing

@testable import Doors

@Suite("Messages of pages")
struct PageRequestTests {
  private func request(_ json: String) -> PageRequest? { PageRequest(json.utf8) }

  @Test("Each type is read")
  func types() {
    #expect(request(#"{"t":"play"}"#) == .play)
    #expect(request(#"{"t":"vote","yes":false}"#) == .vote(false))
    #expect(request(#"{"t":"rate","rate":1.5,"more":[1]}"#) == .rate(1.5))
    #expect(
      request(#"{"t":"fetch","stream":3,"from":12.5,"audio":null}"#)
        == .fetch(stream: 3, from: 12.5, audio: nil))
    #expect(
      request(#"{"t":"done","n":4,"ok":true,"at":1.25}"#)
        == .done(number: 4, isCarriedOut: true, at: 1.25))
    #expect(request(#"{"t":"stalled","is":true,"percent":250}"#) == .stalled(true, percent: 100))
    #expect(
      request(
        #"{"t":"source","kind":"own","name":"a.mp4","size":9,"duration":60,"hash":"sha256:0"}"#)
        == .source(.own(name: "a.mp4", size: 9, duration: 60, hash: "sha256:0")))
    let many = (0..<99).map { "\"\($0)\"" }.joined(separator: ",")
    guard case .enter(_, let plays) = request(#"{"t":"enter","name":"Mia","plays":[\#(many)]}"#)
    else { return #expect(Bool(false)) }
    #expect(plays.count == 16)
  }

  @Test(
    "What no page sends is refused",
    arguments: [
      "", "null", "[]", "{}", #"{"t":"dance"}"#, #"{"t":"seek"}"#, #"{"t":"seek","to":"1"}"#,
      #"{"t":"vote"}"#, #"{"t":"seek","to":1e300}"#, #"{"t":"seek","to":-1e9}"#,
      #"{"t":"fetch","stream":-1,"from":0}"#, #"{"t":"fetch","stream":5000000000,"from":0}"#,
      #"{"t":"got","stream":1,"bytes":1e30}"#, #"{"t":"report","error":1e40,"uncertainty":1}"#,
      String(repeating: "[", count: 5000),
    ])
  func refused(_ json: String) { #expect(request(json) == nil) }
}
