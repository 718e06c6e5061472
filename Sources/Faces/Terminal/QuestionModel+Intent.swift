import GroupActivities
import Screening
import TerminalUI

extension QuestionModel {
  /// Creates the question about the audience of a film that the user chose in a party.
  ///
  /// - Parameters:
  ///   - comparison: the film beside the party's, if this participant has no copy of that. The user is then looking for
  ///     a copy, and nothing may take the film away from the others by habit.
  ///   - mayChoose: true if this participant may choose the film for everyone.
  init(id: String, film: String, comparison: CopyComparison?, mayChoose: Bool) {
    func clean(_ title: String) -> String { PartyText.clean(title, limit: 100) }
    func everyone(_ title: TerminalText) -> [Choice] {
      mayChoose ? [Choice(id: "everyone", key: "e", title: title)] : []
    }
    guard let comparison else {
      self.init(
        id: id, text: TerminalText("Watch “\(clean(film))”?"),
        choices: everyone("For everyone") + [
          Choice(id: "me", key: "m", title: "Just me (everyone else keeps watching)"),
          Choice(id: "cancel", key: "c", title: "Cancel"),
        ], initialChoice: 0)
      return
    }
    self.init(
      id: id,
      text: TerminalText(
        "“\(clean(film))” isn't the party's film, “\(clean(comparison.partys.title))” "
          + "(\(comparison.facts))."),
      choices: [Choice(id: "cancel", key: "o", title: "Choose another file")]
        + (comparison.mayBeVersion
          ? [Choice(id: "use", key: "u", title: "Watch mine as the same film")] : [])
        + [Choice(id: "me", key: "m", title: "Watch it alone")]
        + everyone("Show it to everyone instead"), initialChoice: 0)
  }
}
