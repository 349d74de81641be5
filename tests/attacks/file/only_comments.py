# holds only this comment
